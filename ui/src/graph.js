// The graph view: a part of the graph around a focus, drawn, with a panel that
// tells the same in words.
import { announce, field, fill, h, select } from "./dom.js";
import { ask } from "./api.js";
import { bar, chosenEdges, leftOut, noCode } from "./bar.js";
import { details, edgeFacts, factsOf, list } from "./details.js";
import { Drawing } from "./drawing.js";
import { nothing } from "./empty.js";
import { count, label } from "./format.js";
import { layout } from "./layout.js";
import { go, graphQuery, note } from "./state.js";
import { evidenceWords, healthWords } from "./theme.js";

function legend(color) {
  const words = color === "health" ? healthWords : evidenceWords;
  return h("ul", { class: "legend", "aria-label": "Colours" },
    Object.entries(words).map(([key, text]) => h("li", {}, h("span", { class: `dot ${key}`, "aria-hidden": "true" }), text)));
}

/** The part of |answer| that is drawn. */
function chosen(answer, show) {
  const edges = chosenEdges(answer, show);
  const ends = new Set(edges.flatMap((edge) => [edge.source, edge.target]));
  return { edges, nodes: answer.nodes.filter((node) => show === "all" || ends.has(node.id) || answer.focus.includes(node.id)) };
}

export class GraphView {
  constructor(root, state) {
    this.root = root;
    this.state = state;
    this.drawing = null;
    this.abort = new AbortController();
  }

  async open() {
    const { state } = this;
    this.answer = await ask("graph", graphQuery(state), this.abort.signal);
    const { nodes, edges } = chosen(this.answer, state.show);
    this.nodes = new Map(nodes.map((node) => [node.id, node]));
    const controls = bar(state, field("Colour by", select([["evidence", "evidence"], ["health", "health"]], state.color, (color) => this.recolor(color))));
    if (!nodes.length) {
      fill(this.root, controls, await nothing(state, this.abort.signal, (answer) => chosen(answer, state.show).nodes.length > 0));
      announce("Nothing to show.");
      return;
    }
    this.canvas = h("div", {
      class: "canvas", tabindex: 0, role: "application", "aria-label": "Graph. Arrow keys walk it: left to a caller, right to what is called, up and down among its neighbours. Enter focuses, plus and minus zoom, 0 shows all.",
      onkeydown: (event) => this.key(event),
    });
    this.hint = h("div", { class: "hint", hidden: true, "aria-hidden": "true" });
    this.panel = h("aside", { class: "panel", "aria-label": "Details", tabindex: 0 });
    this.key_ = h("div", { class: "key" }, legend(state.color));
    const left = leftOut(this.answer);
    fill(this.root, controls,
      h("div", { class: "stage" }, h("div", { class: "picture" }, this.canvas, this.hint), this.panel),
      this.key_, h("p", { class: "note", id: "note" }, `${count(nodes.length)} nodes, ${count(edges.length)} edges. `, left, noCode(this.answer)));
    announce(`${nodes.length} nodes and ${edges.length} edges are shown.`);
    this.draw(nodes, edges);
  }

  draw(nodes, edges) {
    try {
      this.drawing = new Drawing(this.canvas, {
        enter: (thing) => this.hover(thing), leave: () => this.unhover(), open: (id) => this.focus(id),
      });
    } catch (error) {
      console.warn(error);
      fill(this.canvas, h("p", { class: "empty" }, "This browser cannot draw (no WebGL). The panel and the ", h("a", { href: "#edges" }, "edge table"), " tell the same."));
      this.choose(this.answer.focus[0] ?? nodes[0].id);
      return;
    }
    this.drawing.color = this.state.color;
    this.drawing.show(nodes, edges, this.answer.focus);
    this.choose(this.answer.focus[0] ?? nodes[0].id);
    const started = performance.now();
    this.laid = layout(nodes, this.drawing.links(), (places, done) => {
      if (!this.drawing) return;
      this.drawing.place(places);
      if (!done) return;
      this.drawing.sigma.once("afterRender", () => {
        this.root.dataset.laid = String(Math.round(performance.now() - started));
        globalThis.spangraphDrawing = this.drawing; // for who tests the page
      });
    }, this.canvas.clientHeight > this.canvas.clientWidth).catch((error) => console.error(error));
  }

  recolor(color) {
    this.state.color = color;
    fill(this.key_, legend(color));
    this.drawing?.paint(color);
    note(this.state);
  }

  repaint() {
    this.drawing?.paint();
  }

  hover(thing) {
    const now = this.answer.now;
    const rows = thing.node ? factsOf(thing.node, now) : edgeFacts(thing.pair, now);
    const title = thing.node ? label(thing.node, true)
      : `${label(this.nodes.get(thing.pair.source), true)} → ${label(this.nodes.get(thing.pair.target), true)}`;
    fill(this.hint, h("strong", {}, title), list(rows));
    this.hint.hidden = false;
  }

  unhover() {
    this.hint.hidden = true;
  }

  choose(id) {
    this.chosen = id;
    this.drawing?.choose(id);
    const pairs = this.drawing?.pairs ?? new Map();
    fill(this.panel, details(this.nodes.get(id), pairs, this.nodes, this.answer.now, (next) => this.focus(next)));
  }

  focus(id) {
    const node = this.nodes.get(id);
    if (node) go({ ...this.state, focus: node.key });
  }

  /** Callers or callees of the chosen node, busiest first. */
  around(end, other) {
    return [...this.drawing.pairs.values()].filter((pair) => pair[end] === this.chosen && pair[other] !== this.chosen)
      .sort((a, b) => b.count - a.count).map((pair) => pair[other]);
  }

  walk(id) {
    if (id === undefined) return;
    this.choose(id);
    this.drawing.reveal(id);
    announce(label(this.nodes.get(id), true));
  }

  /** Up and down go through the nodes that were beside the one walked to. */
  beside(step) {
    const ring = this.ring?.includes(this.chosen) ? this.ring : [...this.nodes.keys()];
    this.walk(ring[(ring.indexOf(this.chosen) + step + ring.length) % ring.length]);
  }

  key(event) {
    if (!this.drawing || event.ctrlKey || event.altKey || event.metaKey) return;
    const ways = { ArrowLeft: ["target", "source"], ArrowRight: ["source", "target"] };
    if (ways[event.key]) {
      const ring = this.around(...ways[event.key]);
      if (ring.length) this.ring = ring;
      this.walk(ring[0]);
    } else if (event.key === "ArrowDown") this.beside(1);
    else if (event.key === "ArrowUp") this.beside(-1);
    else if (event.key === "Enter") this.focus(this.chosen);
    else if (event.key === "+" || event.key === "=") this.drawing.zoom(0.7);
    else if (event.key === "-") this.drawing.zoom(1 / 0.7);
    else if (event.key === "0") this.drawing.reset();
    else return;
    event.preventDefault();
  }

  close() {
    this.abort.abort();
    this.drawing?.close();
    this.drawing = null;
  }
}
