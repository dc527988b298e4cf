// A table that sorts by its heads, shows as many rows as are asked for, and
// gives all of them as CSV.
import { announce, fill, h } from "./dom.js";
import { csvOf, download } from "./csv.js";

const PAGE = 200;

const compare = (a, b) => {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  return typeof a === "string" ? a.localeCompare(b) : a - b;
};

/** columns: { key, head, value(row), show(row)?, csv(row)?, numeric?, wide? }; sort: "key" or
 * "-key"; sorted(sort) is told what was chosen. */
export function table({ caption, columns, rows, sort, sorted, file }) {
  let order = sort;
  let shown = PAGE;
  const body = h("tbody");
  const heads = h("tr");
  const more = h("p", { class: "more" });

  function inOrder() {
    if (!order) return rows;
    const down = order.startsWith("-");
    const column = columns.find((one) => one.key === order.replace(/^-/, "")) ?? columns[0];
    const keyed = rows.map((row, i) => ({ row, i, value: column.value(row) }));
    keyed.sort((a, b) => {
      const way = compare(a.value, b.value);
      const isKnown = a.value !== null && b.value !== null;
      return (down && isKnown ? -way : way) || a.i - b.i;
    });
    return keyed.map((one) => one.row);
  }

  function choose(column) {
    const first = column.numeric ? `-${column.key}` : column.key;
    const other = column.numeric ? column.key : `-${column.key}`;
    order = order === first ? other : first;
    sorted?.(order);
    draw();
    announce(`Sorted by ${column.head}, ${order.startsWith("-") ? "highest first" : "lowest first"}.`);
  }

  function head(column) {
    const isBy = order.replace(/^-/, "") === column.key;
    const way = isBy ? (order.startsWith("-") ? "descending" : "ascending") : "none";
    return h("th", { scope: "col", "aria-sort": way, class: column.numeric ? "number" : null },
      h("button", { type: "button", class: "sort", "data-key": column.key, onclick: () => choose(column) }, column.head,
        h("span", { "aria-hidden": "true" }, isBy ? (way === "descending" ? " ↓" : " ↑") : "")));
  }

  function draw() {
    const had = document.activeElement?.dataset?.key;
    const list = inOrder();
    fill(heads, columns.map(head));
    fill(body, list.slice(0, shown).map((row) => h("tr", {},
      columns.map((column, i) => h(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : null, class: column.numeric ? "number" : column.wide ? "wide" : null },
        column.show ? column.show(row) : column.value(row) ?? "")))));
    fill(more, list.length > shown
      ? [`${shown} of ${list.length} rows. `, h("button", { type: "button", onclick: () => { shown += 5 * PAGE; draw(); } }, "Show more")]
      : `${list.length} rows.`);
    if (had) heads.querySelector(`[data-key="${had}"]`)?.focus();
  }

  draw();
  return h("div", { class: "sheet" },
    h("p", { class: "actions" }, h("button", { type: "button", id: "csv", onclick: () => download(file, csvOf(columns.map((one) => one.head), inOrder().map((row) => columns.map((one) => (one.csv ?? one.value)(row))))) }, "Download CSV")),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
      h("table", {}, h("caption", {}, caption), h("thead", {}, heads), body)),
    more);
}
