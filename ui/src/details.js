// The panel beside the graph: the same facts as the picture, in words and
// reachable by keyboard.
import { h } from "./dom.js";
import { ago, count, kindOf, label, ms, share } from "./format.js";
import { evidenceWords, healthOf, healthWords } from "./theme.js";

export function factsOf(node, now) {
  const rows = [["Kind", node.kind.replaceAll("_", " ")]];
  if (node.service && node.service !== node.name) rows.push(["Service", node.service]);
  if (node.env) rows.push(["Environment", node.env]);
  if (node.serves) rows.push(["Serves", node.serves]);
  if (node.file) rows.push(["Code", `${node.file}:${node.line}`]);
  rows.push(["Received", `${count(node.in)}, ${count(node.in_errors)} failed (${share(node.in_errors, node.in)})`]);
  rows.push(["Made", `${count(node.out)}, ${count(node.out_errors)} failed (${share(node.out_errors, node.out)})`]);
  rows.push(["p95", ms(node.p95_ms)]);
  rows.push(["Last seen", ago(node.last, now)]);
  return rows;
}

/* The latest trace of an edge, rather one that failed. */
function traceOf(pair) {
  const traces = pair.rows.flatMap((edge) => edge.exemplars ?? [])
    .sort((a, b) => Number(b.failed) - Number(a.failed) || b.at - a.at);
  return traces.length ? `${traces[0].trace_id}${traces[0].failed ? " (failed)" : ""}` : "";
}

export function edgeFacts(pair, now) {
  const rows = [["Calls", `${count(pair.count)}, ${count(pair.errors)} failed (${share(pair.errors, pair.count)})`]];
  rows.push(["Kind", [...new Set(pair.rows.map((edge) => kindOf(edge.kind)))].join(", ")]);
  const p95 = pair.rows.map((edge) => edge.p95_ms).filter((value) => value !== null);
  rows.push(["p95", ms(p95.length ? Math.max(...p95) : null)]);
  rows.push(["Last seen", ago(Math.max(0, ...pair.rows.map((edge) => edge.last ?? 0)), now)]);
  rows.push(["Evidence", evidenceWords[pair.evidence]]);
  if (traceOf(pair)) rows.push(["Trace", traceOf(pair)]);
  return rows;
}

export const list = (rows) => h("dl", {}, rows.map(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]));

function neighbours(title, pairs, end, nodes, open) {
  if (!pairs.length) return null;
  return [
    h("h3", {}, title, ` (${pairs.length})`),
    h("ul", { class: "neighbours" }, pairs.slice(0, 100).map((pair) => {
      const node = nodes.get(pair[end]);
      const trace = traceOf(pair);
      return h("li", {},
        h("button", { type: "button", class: "link", onclick: () => open(node.id) }, label(node, true)),
        h("small", {}, ` ${count(pair.count)} calls, ${healthWords[healthOf(pair.count, pair.errors)]}, ${evidenceWords[pair.evidence]}`
          + (trace ? `, trace ${trace}` : "")));
    })),
    pairs.length > 100 ? h("p", {}, "The edge table lists the others.") : null,
  ];
}

/** Everything about one node of the part that is shown. */
export function details(node, pairs, nodes, now, open) {
  const busiest = (a, b) => b.count - a.count;
  const all = [...pairs.values()];
  const callers = all.filter((pair) => pair.target === node.id).sort(busiest);
  const callees = all.filter((pair) => pair.source === node.id).sort(busiest);
  return [
    h("h2", {}, label(node, true)),
    list(factsOf(node, now)),
    node.hidden ? h("p", {}, `${count(node.hidden)} of its edges are not shown.`) : null,
    node.rim ? h("p", {}, "What lies beyond it was not looked at.") : null,
    h("p", {}, h("button", { type: "button", id: "focus-here", onclick: () => open(node.id) }, "Focus here")),
    neighbours("Callers", callers, "source", nodes, open),
    neighbours("Calls", callees, "target", nodes, open),
  ];
}
