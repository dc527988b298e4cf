// What is said when there is nothing to show, and what helps.
import { h } from "./dom.js";
import { ask } from "./api.js";
import { go, graphQuery } from "./state.js";

const LOOK_EVERY_MS = 2000;

/** What helps, by whether anything ever came.  The view is opened anew by the
 * first answer of which |isShown| says that there is something to see
 * (what is taken in first may be but one side of a call), until |signal| says
 * that it is left. */
export async function nothing(state, signal, isShown) {
  const hadCome = await hasCome(signal);
  const isChanged = async () => isShown(await ask("graph", graphQuery(state), signal)) || (!hadCome && await hasCome(signal));
  let timer;
  const look = async () => {
    const is = !document.hidden && await isChanged().catch(() => false);
    if (signal.aborted) return;
    if (is) go(state);
    else timer = setTimeout(look, LOOK_EVERY_MS);
  };
  timer = setTimeout(look, LOOK_EVERY_MS);
  signal.addEventListener("abort", () => clearTimeout(timer));
  return hadCome ? nothingHere(state) : nothingYet();
}

const hasCome = async (signal) => Boolean((await ask("health", { limit: 1 }, signal)).last_span);

export function nothingYet() {
  const host = location.hostname;
  return h("section", { class: "empty" },
    h("h2", {}, "Nothing has arrived yet"),
    h("p", {}, "Point your Collector or SDK at this machine; the graph appears within seconds."),
    h("p", {}, "An SDK: ", h("code", {}, `OTEL_EXPORTER_OTLP_ENDPOINT=http://${host}:4318`)),
    h("p", {}, "A Collector:"),
    h("pre", { tabindex: 0, "aria-label": "Collector configuration" }, h("code", {}, `exporters:\n  otlp/spangraph:\n    endpoint: ${host}:4317\n    tls: {insecure: true}\nservice:\n  pipelines:\n    traces: {exporters: [otlp/spangraph]}`)),
    h("p", {}, "These are the usual ports; receivers.otlp in the configuration may name others. What is refused, and why, is told under ",
      h("a", { href: "#health" }, "Health"), "."),
    h("p", {}, "To see a graph without services of yours: ", h("code", {}, "spangraph serve --demo")));
}

function nothingHere(state) {
  const isCode = state.level === "symbol";
  return h("section", { class: "empty" },
    h("h2", {}, isCode ? "No functions are known here" : "Nothing was seen in this time"),
    h("p", {}, isCode ? "Read a repository with: " : "Spans have arrived, but none that fit the time, environment and evidence above.", isCode ? h("code", {}, "spangraph index FOLDER") : null),
    h("p", {}, h("button", { type: "button", onclick: () => go({ ...state, since: "all", from: "", to: "", env: "", show: "all" }) }, "Show all time, everything")));
}
