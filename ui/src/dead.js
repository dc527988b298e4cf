// The dead-routes board: verdicts are the server's, with what speaks for them.
import { announce, field, fill, h, select } from "./dom.js";
import { ask } from "./api.js";
import { noCode } from "./bar.js";
import { ago, count, share, time } from "./format.js";
import { go, hashOf, note, switchView } from "./state.js";
import { table } from "./table.js";

const meanings = {
  never_observed: "declared, and a call would have been seen",
  stopped: "was called, and is silent for longer than its rhythm",
  zombie: "only replaced versions serve it",
  synthetic_only: "only probes and tests call it",
  probe_only: "all calls were refused",
  undocumented: "has traffic, and is not declared",
  low: "few calls, or sampling could hide some",
  seasonal: "silent, but its rhythm is slow or unknown",
  too_new: "declared too recently to say",
  insufficient_window: "its service was watched too little to say",
  not_observable: "its service sends no spans that could show it",
  suppressed: "is on the ignore list",
  active: "is called",
};
const words = (key) => key.replaceAll("_", " ");
const days = ["7", "14", "30", "60", "90", "180", "365"];

function evidence(route, now) {
  const parts = [meanings[route.verdict] ?? words(route.verdict)];
  if (route.count) parts.push(`${count(route.count)} calls in the window`);
  parts.push(route.last ? `last call ${ago(route.last, now)}` : "never called");
  if (route.coverage !== null) parts.push(`watched ${share(route.coverage, 1)} of the time`);
  if (route.hidden_per_day >= 1) parts.push(`sampling may hide up to ${count(Math.ceil(route.hidden_per_day))} calls a day`);
  if (route.static_callers) parts.push(`${count(route.static_callers)} ${route.static_callers === 1 ? "function calls" : "functions call"} its handler`);
  return `${parts.join("; ")}.`;
}

export class DeadView {
  constructor(root, state) {
    this.root = root;
    this.state = state;
    this.abort = new AbortController();
  }

  async open() {
    const { state } = this;
    const { stale_days, service, env, owner } = state;
    const query = { stale_days, service, env, owner, verdict: state.verdict, limit: 5000 };
    this.answer = await ask("dead", query, this.abort.signal);
    const change = (what) => go({ ...state, ...what });
    const text = (key, size) => h("input", { type: "text", size, value: state[key], placeholder: "all", maxlength: 200, onchange: (event) => change({ [key]: event.target.value.trim() }) });
    this.sheet = h("div");
    fill(this.root,
      h("div", { class: "bar", role: "group", "aria-label": "What is shown" },
        field("Silent for", select(days.map((n) => [n, `${n} days`]), state.stale_days, (n) => change({ stale_days: n }))),
        field("Service", text("service", 14)), field("Environment", text("env", 10)),
        this.answer.has_code ? field("Owner", text("owner", 12)) : null,
        field("Rows with", h("input", { type: "search", value: state.q, maxlength: 200, oninput: (event) => this.filter(event.target.value) }))),
      this.tiles(change), this.sheet);
    this.draw();
  }

  /** One button a verdict that occurs; "dead" are the candidates. */
  tiles(change) {
    const by = this.answer.by_verdict;
    const all = Object.values(by).reduce((sum, n) => sum + n, 0);
    const tile = (key, n, title) => h("button", { type: "button", class: `tile v-${key}`, "aria-pressed": String(this.state.verdict === key), title, onclick: () => change({ verdict: key }) }, h("strong", {}, count(n)), " ", words(key));
    return h("div", { class: "tiles", role: "group", "aria-label": "Verdicts" },
      tile("dead", by.never_observed + by.stopped, "candidates for removal: never observed, stopped"), tile("all", all, "all routes"),
      Object.entries(by).filter(([, n]) => n).map(([key, n]) => tile(key, n, meanings[key])));
  }

  filter(q) {
    this.state.q = q;
    note(this.state);
    this.draw();
  }

  columns() {
    const { now } = this.answer;
    const graph = (route) => hashOf({ ...switchView(this.state, "graph"), level: "endpoint", focus: route.key, since: "all" });
    const name = (route) => `${route.method}${route.method ? " " : ""}${route.route}`;
    return [
      { key: "route", head: "Route", value: name, show: (route) => (route.key && route.total ? h("a", { href: graph(route) }, name(route)) : name(route)) },
      { key: "service", head: "Service", value: (route) => route.service, show: (route) => (route.env ? `${route.service} (${route.env})` : route.service) },
      { key: "verdict", head: "Verdict", value: (route) => route.verdict, show: (route) => h("span", { class: `badge v-${route.verdict}` }, words(route.verdict)) },
      { key: "confidence", head: "Confidence", value: (route) => route.confidence },
      { key: "evidence", head: "Evidence", wide: true, value: (route) => evidence(route, now), show: (route) => [evidence(route, now), h("small", {}, route.reasons.length ? ` (${route.reasons.map(words).join(", ")})` : "")] },
      { key: "last", head: "Last call", numeric: true, value: (route) => route.last, csv: (route) => time(route.last), show: (route) => h("span", { title: time(route.last) }, ago(route.last, now)) },
      { key: "owner", head: "Owner", value: (route) => (route.owners ?? []).join(" ") || null, show: (route) => (route.owners?.length ? route.owners.join(", ") : "not known") },
      { key: "code", head: "Code", value: (route) => (route.file ? `${route.file}:${route.line}` : null), show: (route) => (route.file ? h("code", {}, `${route.file}:${route.line}`) : "not indexed") },
    ];
  }

  draw() {
    const { state, answer } = this;
    const columns = this.columns();
    const needles = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = answer.routes.filter((route) => {
      const text = columns.map((column) => column.value(route) ?? "").join(" ").toLowerCase();
      return needles.every((word) => text.includes(word));
    });
    const none = Object.values(answer.by_verdict).every((n) => n === 0);
    fill(this.sheet,
      none ? h("section", { class: "empty" }, h("h2", {}, "No routes are known yet"),
        h("p", {}, "Declare them with ", h("code", {}, "spangraph import-routes --service NAME FILE"), ", read the code with ", h("code", {}, "spangraph index FOLDER"), ", or send spans with http.route."))
        : rows.length ? table({ caption: "Routes, safest to act on first", columns, rows, sort: "", file: "spangraph-dead-routes.csv" })
          : h("section", { class: "empty" }, h("h2", {}, "No route fits"), h("p", {}, state.verdict === "dead" ? "No route is a candidate for removal. What could not be judged is not counted as clean: see the verdicts above." : "Choose another verdict or filter.")),
      answer.lost_spans ? h("p", { class: "note" }, `${count(answer.lost_spans)} spans were lost in the window; confidence is lowered.`) : null,
      answer.truncated ? h("p", { class: "note" }, `${count(answer.total)} routes fit; the first ${count(answer.routes.length)} are shown.`) : null,
      h("p", { class: "note" }, noCode(answer)),
      h("p", { class: "note" }, "A verdict is a candidate with its evidence, never an order to delete."));
    announce(`${rows.length} routes.`);
  }

  close() {
    this.abort.abort();
  }
}
