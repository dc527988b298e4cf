// What is said when there is nothing to show, and what helps.
import { h } from "./dom.js";
import { ask } from "./api.js";
import { go } from "./state.js";

/** What helps, by whether anything ever came. */
export async function nothing(state) {
  const { last_span: last } = await ask("health", { limit: 1 });
  return last ? nothingHere(state) : nothingYet();
}

export function nothingYet() {
  const host = location.hostname;
  return h("section", { class: "empty" },
    h("h2", {}, "Nothing has arrived yet"),
    h("p", {}, "Point your Collector or SDK at this machine; the graph appears within seconds."),
    h("p", {}, "An SDK: ", h("code", {}, `OTEL_EXPORTER_OTLP_ENDPOINT=http://${host}:4318`)),
    h("p", {}, "A Collector:"),
    h("pre", { tabindex: 0, "aria-label": "Collector configuration" }, h("code", {}, `exporters:\n  otlp/spangraph:\n    endpoint: ${host}:4317\n    tls: {insecure: true}\nservice:\n  pipelines:\n    traces: {exporters: [otlp/spangraph]}`)),
    h("p", {}, "These are the usual ports; receivers.otlp in the configuration may name others. What is refused, and why, is told under ",
      h("a", { href: "#health" }, "Health"), "."));
}

function nothingHere(state) {
  const isCode = state.level === "symbol";
  return h("section", { class: "empty" },
    h("h2", {}, isCode ? "No functions are known here" : "Nothing was seen in this time"),
    h("p", {}, isCode ? "Read a repository with: " : "Spans have arrived, but none that fit the time, environment and evidence above.", isCode ? h("code", {}, "spangraph index FOLDER") : null),
    h("p", {}, h("button", { type: "button", onclick: () => go({ ...state, since: "all", from: "", to: "", env: "", show: "all" }) }, "Show all time, everything")));
}
