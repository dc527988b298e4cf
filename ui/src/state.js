// What is shown stands in the address, behind the `#`, so that a copied link
// opens the same view; what is as usual is left out of it.

const usual = {
  graph: { focus: "", depth: "2", level: "service", since: "7d", from: "", to: "", env: "", limit: "100", color: "evidence", show: "all" },
  edges: { focus: "", depth: "2", level: "service", since: "7d", from: "", to: "", env: "", limit: "100", show: "all", sort: "-count", q: "" },
  dead: { stale_days: "30", service: "", env: "", owner: "", verdict: "dead", q: "" },
  health: {},
};

export const views = Object.keys(usual);

export function readState(hash = location.hash) {
  const [name, query = ""] = hash.replace(/^#/, "").split("?");
  const view = views.includes(name) ? name : "graph";
  const state = { view, ...usual[view] };
  for (const [key, value] of new URLSearchParams(query)) {
    if (key in usual[view]) state[key] = value;
  }
  return state;
}

export function hashOf(state) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(usual[state.view])) {
    if (state[key] !== undefined && state[key] !== value) query.set(key, state[key]);
  }
  const text = query.toString();
  return `#${state.view}${text ? `?${text}` : ""}`;
}

/** Another view keeps what both know: focus, window, environment. */
export function switchView(state, view) {
  const next = { view, ...usual[view] };
  for (const key of Object.keys(usual[view])) {
    if (key !== "q" && state[key] !== undefined) next[key] = state[key];
  }
  if (view === "dead" && state.view !== "dead") {
    const focus = /^service:(.*)$/s.exec(state.focus ?? "");
    if (focus) next.service = focus[1];
  }
  return next;
}

export function go(state) {
  const hash = hashOf(state);
  if (hash === location.hash) window.dispatchEvent(new HashChangeEvent("hashchange"));
  else location.hash = hash;
}

const units = { m: 60, h: 3600, d: 86400 };

/** Seconds of "24h", "7d"; 0 for all time. */
export function secondsOf(since) {
  const match = /^(\d{1,6})([mhd])$/.exec(since);
  return match ? Number(match[1]) * units[match[2]] : 0;
}

/** The window as the server wants it: Unix seconds, 0 for none. */
export function windowOf(state, now = Math.floor(Date.now() / 1000)) {
  if (state.from || state.to) return { from: Number(state.from) || 0, to: Number(state.to) || 0 };
  const back = secondsOf(state.since);
  return { from: back ? now - back : 0, to: 0 };
}

export function graphQuery(state) {
  const { from, to } = windowOf(state);
  return {
    focus: state.focus, level: state.level, env: state.env, limit: state.limit,
    depth: state.focus ? state.depth : "", from: from || "", to: to || "",
  };
}

/** Remember a change that needs nothing new from the server. */
export const note = (state) => history.replaceState(null, "", hashOf(state));
