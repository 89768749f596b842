"use strict";
// Of a zoomed figure the axes may be out of sight: rulers along its edges say which values are in sight.
const SVG = "http://www.w3.org/2000/svg";
const framesOf = (svg) => svg.dataset.frames ? JSON.parse(svg.dataset.frames) : [];
// Where a value lies on its axis: 0 at the low end, 1 at the high end. Names run from the top.
const placeOn = ([scale, low, high], value) =>
  scale === "log" ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
const round = (from, to, most) => {
  for (let power = 10 ** Math.floor(Math.log10((to - from) / most)); power > 0; power *= 10) {
    for (const step of [1, 2, 5].map((digit) => digit * power)) {
      const first = Math.ceil(from / step - 1e-9), count = Math.floor(to / step + 1e-9) - first;
      if (count < most) return Array.from({ length: count + 1 }, (_, i) => (first + i) * step);
    }
  }
  return [];
};
const decades = ([from, to], digits) => {
  const [first, last] = [Math.floor(Math.log10(from)), Math.ceil(Math.log10(to))];
  const powers = Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
  return powers.flatMap((power) => digits.map((digit) => digit * power)).filter((value) => from <= value && value <= to);
};
const marksOn = ([scale, low, high, , names], from, to, most) => {
  if (scale === "names") return names.map((name, i) => [i, name]);
  const ends = [from, to].map((at) => scale === "log" ? low * (high / low) ** at : low + at * (high - low));
  const powers = Math.log10(ends[1] / ends[0]);
  const values = scale !== "log" || powers < 0.7 ? round(ends[0], ends[1], most) : decades(ends, powers < 2.5 ? [1, 2, 5] : [1]);
  return values.map((value) => [value, Number(value.toPrecision(6)).toLocaleString("en", { maximumSignificantDigits: 6 })]);
};
const covered = ([x, y, w, h], [left, top, width, height]) =>
  Math.max(0, Math.min(x + w, left + width) - Math.max(x, left)) * Math.max(0, Math.min(y + h, top + height) - Math.max(y, top));
const element = (name, attributes, text) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text;
  return made;
};
// Rulers of the panel that takes most of the view, unless its own axes are in sight.
const rule = (svg, view, full) => {
  svg.querySelector(".rulers")?.remove();
  const frame = framesOf(svg).sort((a, b) => covered(b.at, view) - covered(a.at, view))[0];
  if (view[2] >= full[2] || !frame || !covered(frame.at, view)) return;
  const [left, top, width, height] = view, [x, y, w, h] = frame.at;
  const size = Number(svg.getAttribute("font-size")) * width / full[2], deep = 1.5 * size, wide = 5 * size;
  const group = element("g", { class: "rulers", "pointer-events": "none", "font-size": size });
  // the part of the panel that is in sight
  const [west, north, east, south] = [Math.max(left, x), Math.max(top, y), Math.min(left + width, x + w), Math.min(top + height, y + h)];
  const paper = { fill: "white", "fill-opacity": 0.9 };
  if (left > x - size) {
    group.append(element("rect", { x: left, y: north, width: wide, height: south - north, ...paper }));
    const marks = marksOn(frame.y, 1 - (south - y) / h, 1 - (north - y) / h, 6);
    for (const [value, text] of marks) {
      const at = placeOn(frame.y, value), place = y + h * (frame.y[0] === "names" ? at : 1 - at);
      if (place < north + deep || place > south - 0.3 * size) continue;
      group.append(element("text", { x: left + wide - 0.4 * size, y: place + 0.35 * size, "text-anchor": "end" }, text));
      group.append(element("rect", { x: left + wide - 0.2 * size, y: place, width: 0.4 * size, height: 0.08 * size }));
    }
    group.append(element("text", { x: left + 0.3 * size, y: north + size, "font-weight": "bold" }, frame.y[3]));
  }
  if (top + height < y + h + size) {
    const base = top + height - deep;
    group.append(element("rect", { x: west, y: base, width: east - west, height: deep, ...paper }));
    const marks = marksOn(frame.x, (west - x) / w, (east - x) / w, 6);
    for (const [value, text] of marks) {
      const place = x + w * placeOn(frame.x, value);
      if (place < left + wide || place > east - 8 * size) continue;
      group.append(element("text", { x: place, y: base + 1.15 * size, "text-anchor": "middle" }, text));
      group.append(element("rect", { x: place, y: base - 0.2 * size, width: 0.08 * size, height: 0.4 * size }));
    }
    group.append(element("text", { x: east - 0.3 * size, y: base + 1.15 * size, "text-anchor": "end", "font-weight": "bold" }, frame.x[3]));
  }
  svg.append(group);
};
// A view that holds a panel with its axes and as little else as the form of the figure allows.
const viewOf = ([x, y, w, h], full, size) => {
  const [aside, below] = [5 * size, 4 * size];
  const share = Math.min(1, Math.max((w + 1.4 * aside) / full[2], (h + 1.6 * below) / full[3]));
  const [width, height] = [share * full[2], share * full[3]];
  return [x - aside - (width - w - 1.4 * aside) / 2, y - 0.6 * below - (height - h - 1.6 * below) / 2, width, height];
};
