// Tables sort by a click on a column head: numbers as numbers, the rest as text.
const key = (row, column) => {
  const text = row.cells[column].textContent.trim();
  const number = parseFloat(text.replaceAll(",", ""));
  return Number.isNaN(number) ? text : number;
};
const sort = (head) => {
  const table = head.closest("table");
  const body = table.tBodies[0];
  const down = head.getAttribute("aria-sort") === "ascending";
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  // of the rows behind the figures only some are shown: all of them are sorted
  if (table.id === "rows-table") return orderBy(head.cellIndex, down);
  body.append(...[...body.rows].sort((a, b) => compared(key(a, head.cellIndex), key(b, head.cellIndex), down)));
};
const compared = (x, y, down) => {
  // what is not a number, such as a time that is not there, comes last either way
  if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
  const order = x < y ? -1 : x > y ? 1 : 0;
  return down ? -order : order;
};
for (const head of document.querySelectorAll("th")) head.addEventListener("click", () => sort(head));

// A link of the contents opens its section; everything is open on paper.
const open = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const section = target && target.closest("details");
  if (section) section.open = true;
};
addEventListener("hashchange", open);
open();
addEventListener("beforeprint", () => { for (const section of document.querySelectorAll("details")) section.open = true; });

// Hovering a mark shows the row behind it at once; without scripts the browser's own tooltip does.
const tip = document.querySelector("[role=tooltip]");
const rowOf = (title) => { const found = /^row (\d+):/.exec(title.textContent); return found ? Number(found[1]) : null; };
const noteOf = (target, figure) => {
  // the note may be that of a group around the mark; the figure's own title is none
  let mark = target;
  while (mark !== figure && !mark.querySelector(":scope > title")) mark = mark.parentNode;
  return mark !== figure && mark.querySelector(":scope > title");
};
// curves lie above the rows: of all marks below the pointer one that is a row comes first
const note = (event, figure) => {
  const below = document.elementsFromPoint(event.clientX, event.clientY).filter((mark) => figure.contains(mark));
  const titles = below.map((mark) => noteOf(mark, figure)).filter(Boolean);
  return titles.find((title) => rowOf(title) !== null) || titles[0];
};
for (const figure of document.querySelectorAll("figure svg")) {
  figure.addEventListener("mousemove", (event) => {
    const title = note(event, figure);
    tip.hidden = !title;
    if (!title) return;
    tip.textContent = title.textContent;
    tip.style.left = Math.max(4, Math.min(event.clientX + 12, window.innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = event.clientY + 14 + "px";
  });
  figure.addEventListener("mouseleave", () => { tip.hidden = true; });
}

// The rows behind the figures: filtered by what is chosen and by what the zoomed figure shows.
const SHOWN = 100;
const data = document.getElementById("rows-data");
const chosen = { test: null };
let rows = null;
const load = () => {
  if (!rows && data) rows = JSON.parse(data.textContent);
  return rows;
};
const matches = (i) => {
  for (const name of Object.keys(rows.names)) {
    const select = document.getElementById("rows-" + name);
    if (select.value !== "" && rows[name][i] !== Number(select.value)) return false;
  }
  const number = document.getElementById("rows-number").value.trim();
  if (number !== "") return rows.row[i] === Number(number);
  return !chosen.test || chosen.test(i);
};
const valueOf = (name, i) => rows.names[name] ? rows.names[name][rows[name][i]] : rows[name][i] ?? "–";
let order = null;
const orderBy = (column, down) => {
  order = { column, down };
  list();
};
const list = () => {
  if (!load()) return;
  const found = rows.row.map((_, i) => i).filter(matches);
  const name = order && rows.columns[order.column];
  if (name) found.sort((a, b) => compared(valueOf(name, a), valueOf(name, b), order.down));
  const body = document.querySelector("#rows-table tbody");
  body.replaceChildren(...found.slice(0, SHOWN).map((i) => {
    const line = document.createElement("tr");
    for (const name of rows.columns) {
      line.insertCell().textContent = valueOf(name, i);
    }
    return line;
  }));
  const more = found.length > SHOWN ? `, the first ${SHOWN} shown` : "";
  const where = chosen.test ? "; only marks that the zoomed figure shows" : "";
  document.getElementById("rows-count").textContent = `${found.length} of ${rows.row.length} rows${more}${where}`;
  const all = found.length === rows.row.length;
  document.getElementById("rows-all").hidden = all;
  dim(new Set(found.map((i) => rows.row[i])), all);
};
// What part of an axis is in sight: from where to where, in its own values.
const sight = ([scale, low, high], from, to) => {
  const value = (at) => scale === "log" ? low * (high / low) ** at : low + at * (high - low);
  return from >= 1 || to <= 0 ? null : [value(Math.max(from, 0)), value(Math.min(to, 1))];
};
// A shaded cell stands for many rows: those in sight are found by size and time. A test of rows by their places.
const inSight = (frames, [left, top, width, height]) => {
  const micros = { s: 1e6, ms: 1e3, "µs": 1, ns: 1e-3 };
  const shown = frames.map((frame) => {
    const [x, y, w, h] = frame.at;
    const sizes = sight(frame.x, (left - x) / w, (left + width - x) / w);
    const times = sight(frame.y, 1 - (top + height - y) / h, 1 - (top - y) / h);
    const unit = micros[/\((ns|µs|ms|s)\)/.exec(frame.y[3])?.[1]];
    const named = rows.names.backend.filter((name) => frame.title.includes(name));
    const backend = rows.names.backend.indexOf(named.sort((a, b) => b.length - a.length)[0]);
    return sizes && times && unit && { sizes, times: times.map((time) => time * unit), backend };
  }).filter(Boolean);
  const within = (value, [low, high]) => value !== null && low <= value && value <= high;
  return (i) => shown.some(({ sizes, times, backend }) =>
    (backend < 0 || rows.backend[i] === backend) && within(rows.size[i], sizes) && within(rows["µs"][i], times));
};
// Marks of single rows that are filtered out fade; shades stand for many rows and stay.
const dim = (kept, all) => {
  for (const title of document.querySelectorAll("figure svg title")) {
    const row = rowOf(title);
    if (row !== null) title.parentNode.classList.toggle("off", !all && !kept.has(row));
  }
};
for (const field of document.querySelectorAll(".rows select, .rows input")) field.addEventListener("input", list);
document.getElementById("rows-all")?.addEventListener("click", () => {
  for (const field of document.querySelectorAll(".rows select, .rows input")) field.value = "";
  chosen.test = null;
  list();
});
const section = data && data.closest("details");
if (section) section.addEventListener("toggle", () => { if (section.open) list(); });

// Figures zoom by buttons, Ctrl and the wheel, or a double click on a panel, and move when dragged; a click on a mark finds its row.
for (const figure of document.querySelectorAll("figure[id]")) {
  const svg = figure.querySelector("svg");
  const whole = svg && svg.getAttribute("viewBox");
  if (!whole) continue;
  const full = whole.split(" ").map(Number);
  let view = [...full];
  const show = (next) => {
    const width = Math.min(next[2], full[2]), height = Math.min(next[3], full[3]);
    const within = (low, least, most) => Math.max(least, Math.min(low, most));
    view = [within(next[0], full[0], full[0] + full[2] - width), within(next[1], full[1], full[1] + full[3] - height), width, height];
    svg.setAttribute("viewBox", view.join(" "));
    rule(svg, view, full);
    figure.classList.toggle("zoomed", width < full[2]);
  };
  // buttons zoom into the panel that is looked at, if there is one
  let aim = null;
  // else into the middle of what the window shows of the figure, which may be much taller
  const inWindow = () => {
    const box = svg.getBoundingClientRect();
    const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
    return [0.5, top < bottom ? ((top + bottom) / 2 - box.top) / box.height : 0.5];
  };
  const middle = () => aim ? [(aim[0] + aim[2] / 2 - view[0]) / view[2], (aim[1] + aim[3] / 2 - view[1]) / view[3]] : inWindow();
  const zoom = (factor, [x, y] = middle()) => {
    const [width, height] = [view[2] / factor, view[3] / factor];
    show([view[0] + (view[2] - width) * x, view[1] + (view[3] - height) * y, width, height]);
    settle();
  };
  let waiting = 0;
  const settle = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (!load()) return;
      const titles = [...svg.querySelectorAll("title")].filter((title) => rowOf(title) !== null);
      chosen.test = null;
      const shaded = framesOf(svg).filter((frame) => frame.shaded);
      if (view[2] < full[2] && shaded.length) {
        chosen.test = inSight(shaded, view);
      } else if (view[2] < full[2] && titles.length) {
        const frame = svg.getBoundingClientRect();
        const inside = (title) => {
          const box = title.parentNode.getBoundingClientRect();
          return box.right >= frame.left && box.left <= frame.right && box.bottom >= frame.top && box.top <= frame.bottom;
        };
        const kept = new Set(titles.filter(inside).map(rowOf));
        chosen.test = (i) => kept.has(rows.row[i]);
      }
      if (section && section.open) list();
    }, 150);
  };
  const tools = document.createElement("div");
  tools.className = "tools";
  const panels = framesOf(svg);
  const look = (frame) => { aim = frame.at; show(viewOf(frame.at, full, Number(svg.getAttribute("font-size")))); settle(); };
  let last = -1;
  const next = () => { last = (last + 1) % panels.length; look(panels[last]); };
  for (const [text, label, act] of [["+", "Zoom in", () => zoom(1.5)], ["−", "Zoom out", () => zoom(1 / 1.5)], ...(panels.length > 1 ? [["next panel", "Show the next panel", next]] : []),
    ["whole", "Show the whole figure", () => { aim = null; show(full); settle(); }]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.setAttribute("aria-label", `${label}: ${figure.id}`);
    button.addEventListener("click", act);
    tools.append(button);
  }
  figure.prepend(tools);
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height]);
  }, { passive: false });
  // a double click shows the panel that was meant, with its axes
  svg.addEventListener("dblclick", (event) => {
    const box = svg.getBoundingClientRect();
    const place = [view[0] + (event.clientX - box.left) / box.width * view[2], view[1] + (event.clientY - box.top) / box.height * view[3], 1, 1];
    const frame = panels.find((frame) => covered(frame.at, place));
    if (frame) look(frame);
  });
  let from = null, moved = false;
  svg.addEventListener("pointerdown", (event) => {
    moved = false;
    if (view[2] < full[2]) from = [event.clientX, event.clientY, ...view];
  });
  svg.addEventListener("pointermove", (event) => {
    if (!from) return;
    const box = svg.getBoundingClientRect();
    const [dx, dy] = [event.clientX - from[0], event.clientY - from[1]];
    moved = moved || Math.abs(dx) + Math.abs(dy) > 4;
    if (moved) aim = null;
    show([from[2] - dx * view[2] / box.width, from[3] - dy * view[3] / box.height, view[2], view[3]]);
  });
  addEventListener("pointerup", () => { if (from) { from = null; settle(); } });
  svg.addEventListener("click", (event) => {
    const title = !moved && data && note(event, svg);
    const row = title ? rowOf(title) : null;
    if (row === null) return;
    document.getElementById("rows-number").value = row;
    section.open = true;
    list();
    section.scrollIntoView();
  });
}
