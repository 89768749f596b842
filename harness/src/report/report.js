"use strict";
// Tables sort by a click on a column head: numbers as numbers, the rest as text.
const key = (row, column) => {
  const text = row.cells[column].textContent.trim();
  const number = parseFloat(text);
  return Number.isNaN(number) ? text : number;
};
for (const head of document.querySelectorAll("th")) {
  head.addEventListener("click", () => {
    const body = head.closest("table").tBodies[0];
    const down = head.dataset.dir === "up";
    for (const other of head.parentNode.cells) delete other.dataset.dir;
    head.dataset.dir = down ? "down" : "up";
    const rows = [...body.rows].sort((a, b) => {
      const [x, y] = [key(a, head.cellIndex), key(b, head.cellIndex)];
      const order = typeof x === typeof y ? (x < y ? -1 : x > y ? 1 : 0) : typeof x === "number" ? -1 : 1;
      return down ? -order : order;
    });
    body.append(...rows);
  });
}
// Hovering a mark shows the row behind it at once; without scripts the browser's own tooltip does.
const tip = document.getElementById("tip");
for (const figure of document.querySelectorAll("figure svg")) {
  figure.addEventListener("mousemove", (event) => {
    // the note may be that of a group around the mark; the figure's own title is none
    let mark = event.target;
    while (mark !== figure && !mark.querySelector(":scope > title")) mark = mark.parentNode;
    const title = mark !== figure && mark.querySelector(":scope > title");
    tip.hidden = !title;
    if (!title) return;
    tip.textContent = title.textContent;
    tip.style.left = Math.min(event.clientX + 12, window.innerWidth - 300) + "px";
    tip.style.top = event.clientY + 14 + "px";
  });
  figure.addEventListener("mouseleave", () => { tip.hidden = true; });
}
