// The controls that the graph and the edge table share.
import { field, h, select } from "./dom.js";
import { go } from "./state.js";

const windows = [["1h", "last hour"], ["6h", "last 6 hours"], ["24h", "last 24 hours"], ["7d", "last 7 days"], ["30d", "last 30 days"], ["all", "all time"], ["custom", "from … to …"]];
const levels = [["service", "services"], ["endpoint", "routes"], ["symbol", "functions"]];
const shows = [["all", "all evidence"], ["observed", "observed only"], ["static", "only in the code"], ["both", "both agree"]];
const limits = [["50", "50"], ["100", "100"], ["200", "200"], ["500", "500"], ["1500", "1,500"], ["5000", "5,000"]];

const local = (s) => (s ? new Date(s * 1000).toISOString().slice(0, 16) : "");
const seconds = (text) => (text ? String(Math.floor(Date.parse(`${text}Z`) / 1000)) : "");

function dates(state, change) {
  const input = (key) => h("input", { type: "datetime-local", value: local(Number(state[key])), onchange: (event) => change({ [key]: seconds(event.target.value) }) });
  return [field("From (UTC)", input("from")), field("To (UTC)", input("to"))];
}

export function bar(state, more = []) {
  const change = (what) => go({ ...state, ...what });
  const isCustom = state.from !== "" || state.to !== "";
  const now = Math.floor(Date.now() / 1000);
  return h("div", { class: "bar", role: "group", "aria-label": "What is shown" },
    field("Level", select(levels, state.level, (level) => change({ level }))),
    state.focus
      ? field("Steps", select([1, 2, 3, 4, 5, 6].map((n) => [String(n), n === 1 ? "1 step" : `${n} steps`]), state.depth, (depth) => change({ depth })))
      : null,
    field("Time", select(windows, isCustom ? "custom" : state.since, (since) =>
      change(since === "custom" ? { from: String(now - 86400), to: String(now) } : { since, from: "", to: "" }))),
    isCustom ? dates(state, change) : null,
    field("Environment", h("input", { type: "text", size: 10, value: state.env, placeholder: "all", maxlength: 200, onchange: (event) => change({ env: event.target.value.trim() }) })),
    field("Evidence", select(shows, state.show, (show) => change({ show }))),
    field("At most", select(limits, state.limit, (limit) => change({ limit }))),
    more,
    state.focus
      ? h("div", { class: "field focus" }, h("span", { class: "label" }, "Focus"),
        h("button", { type: "button", class: "chip", id: "clear-focus", onclick: () => change({ focus: "" }), "aria-label": `Remove the focus on ${state.focus}` }, state.focus, h("span", { "aria-hidden": "true" }, " ×")))
      : null);
}

/** What the server left out, in words; null if nothing was. */
export function leftOut(answer) {
  const { edges, by_hub: byHub, by_limit: byLimit, hub, limit } = answer.left_out;
  if (!edges) return null;
  const why = [byLimit && `the view holds at most ${limit} nodes and ${4 * limit} edges`, byHub && `a node shows at most ${hub} neighbours a direction`].filter(Boolean);
  return `${edges.toLocaleString("en")} edges are left out: ${why.join(", and ")}. The busiest are shown.`;
}

/** What keeps the code from being read, in words; null if nothing does. */
export const noCode = (answer) => (answer.no_code_why ? ` The code cannot be read: ${answer.no_code_why}` : null);

export const chosenEdges = (answer, show) => (show === "all" ? answer.edges : answer.edges.filter((edge) => edge.evidence === show));
