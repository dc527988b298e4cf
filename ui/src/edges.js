// The edge table: the edges of the same part of the graph.
import { announce, field, fill, h } from "./dom.js";
import { ask } from "./api.js";
import { bar, chosenEdges, leftOut, noCode } from "./bar.js";
import { nothing } from "./empty.js";
import { ago, count, kindOf, label, ms, share, time } from "./format.js";
import { go, graphQuery, note } from "./state.js";
import { table } from "./table.js";
import { evidenceWords } from "./theme.js";

export class EdgesView {
  constructor(root, state) {
    this.root = root;
    this.state = state;
    this.abort = new AbortController();
  }

  async open() {
    const { state } = this;
    this.answer = await ask("graph", graphQuery(state), this.abort.signal);
    this.nodes = new Map(this.answer.nodes.map((node) => [node.id, node]));
    this.sheet = h("div");
    const find = h("input", { type: "search", value: state.q, maxlength: 200, oninput: (event) => this.filter(event.target.value) });
    fill(this.root, bar(state, field("Rows with", find)), this.sheet);
    if (this.answer.nodes.length) this.draw();
    else fill(this.sheet, await nothing(state, this.abort.signal, (answer) => answer.nodes.length > 0));
  }

  filter(q) {
    this.state.q = q;
    note(this.state);
    if (this.answer.nodes.length) this.draw();
  }

  nameOf(id) {
    const node = this.nodes.get(id);
    return h("button", { type: "button", class: "link", onclick: () => go({ ...this.state, focus: node.key, q: "" }) }, label(node, true));
  }

  columns() {
    const now = this.answer.now;
    const name = (id) => label(this.nodes.get(id), true);
    return [
      { key: "source", head: "Source", value: (edge) => name(edge.source), show: (edge) => this.nameOf(edge.source) },
      { key: "target", head: "Target", value: (edge) => name(edge.target), show: (edge) => this.nameOf(edge.target) },
      { key: "kind", head: "Kind", value: (edge) => kindOf(edge.kind) },
      { key: "evidence", head: "Evidence", value: (edge) => edge.evidence, show: (edge) => [h("span", { class: `dot ${edge.evidence}`, "aria-hidden": "true" }), evidenceWords[edge.evidence]] },
      { key: "count", head: "Calls", numeric: true, value: (edge) => edge.count, show: (edge) => count(edge.count) },
      { key: "errors", head: "Errors", numeric: true, value: (edge) => edge.errors, show: (edge) => `${count(edge.errors)} (${share(edge.errors, edge.count)})` },
      { key: "p95", head: "p95 ms", numeric: true, value: (edge) => edge.p95_ms, show: (edge) => ms(edge.p95_ms) },
      { key: "last", head: "Last seen", numeric: true, value: (edge) => edge.last, csv: (edge) => time(edge.last), show: (edge) => ago(edge.last, now) },
    ];
  }

  draw() {
    const { state, answer } = this;
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = chosenEdges(answer, state.show).filter((edge) => {
      const text = `${label(this.nodes.get(edge.source), true)} ${label(this.nodes.get(edge.target), true)} ${kindOf(edge.kind)} ${edge.evidence}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    fill(this.sheet,
      table({
        caption: "Edges", columns: this.columns(), rows, sort: state.sort, file: "spangraph-edges.csv",
        sorted: (sort) => { state.sort = sort; note(state); },
      }),
      h("p", { class: "note" }, leftOut(answer), noCode(answer)));
    announce(`${rows.length} edges.`);
  }

  close() {
    this.abort.abort();
  }
}
