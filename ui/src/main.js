// The frame of the page: what is shown follows the address.
import { add, fill, h } from "./dom.js";
import { Refused, setToken } from "./api.js";
import { DeadView } from "./dead.js";
import { EdgesView } from "./edges.js";
import { GraphView } from "./graph.js";
import { HealthView } from "./health.js";
import { openCopy } from "./copy.js";
import { search } from "./search.js";
import { go, hashOf, readState, switchView, views } from "./state.js";
import { isDark, startTheme, toggleTheme } from "./theme.js";

const makers = { graph: GraphView, edges: EdgesView, dead: DeadView, health: HealthView };
const titles = { graph: "Graph", edges: "Edge table", dead: "Dead routes", health: "Health" };

let state = readState();
let view = null;
const main = h("main", { id: "main", tabindex: -1 });
const nav = h("nav", { "aria-label": "Views" });
const theme = h("button", { type: "button", id: "theme", onclick: () => { toggleTheme(); painted(); } });

function painted() {
  theme.textContent = isDark() ? "Light" : "Dark";
  theme.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
  view?.repaint?.();
}

function drawNav() {
  fill(nav, views.map((name, i) => h("a", {
    href: hashOf(switchView(state, name)), "aria-current": name === state.view ? "page" : null, "aria-keyshortcuts": `Alt+${i + 1}`, title: `Alt+${i + 1}`,
  }, titles[name])));
}

function askToken(message) {
  const input = h("input", { type: "password", id: "token", autocomplete: "off", required: true });
  fill(main, h("section", { class: "empty" },
    h("h2", {}, "This server asks for a token"),
    h("p", {}, "It is one of query.auth.tokens in its configuration. It is kept in this tab only."),
    h("form", { onsubmit: (event) => { event.preventDefault(); setToken(input.value.trim()); show(); } },
      h("div", { class: "field" }, h("label", { for: "token" }, "Token"), input), h("button", {}, "Go on")),
    h("p", { role: "alert" }, message)));
  input.focus();
}

function fail(error) {
  if (error.name === "AbortError") return;
  if (error instanceof Refused && error.status === 401) {
    askToken(sessionStorage.length ? "The token was refused." : "");
    return;
  }
  const isFocus = error.status === 404 && state.focus;
  fill(main, h("section", { class: "empty", role: "alert" }, h("h2", {}, "This cannot be shown"), h("p", {}, error.message),
    h("p", {}, h("button", { type: "button", onclick: () => (isFocus ? go({ ...state, focus: "" }) : show()) }, isFocus ? "Show the busiest part" : "Try again"))));
}

async function show() {
  view?.close();
  drawNav();
  document.title = `${titles[state.view]}${state.focus ? `: ${state.focus}` : ""} - spangraph`;
  delete main.dataset.laid;
  delete main.dataset.hash;
  main.dataset.view = "";
  const { hash } = location;
  main.setAttribute("aria-busy", "true");
  const current = new makers[state.view](main, state);
  view = current;
  try {
    await current.open();
    if (view === current) Object.assign(main.dataset, { view: state.view, hash });
  } catch (error) {
    if (view === current) fail(error);
  } finally {
    if (view === current) main.removeAttribute("aria-busy");
  }
}

function shortcut(event) {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    document.getElementById("search").focus();
  } else if (event.altKey && !event.ctrlKey && !event.metaKey && views[Number(event.key) - 1]) {
    go(switchView(state, views[Number(event.key) - 1]));
  } else return;
  event.preventDefault();
}

const app = document.getElementById("app");
fill(app,
  h("header", {}, h("h1", {}, h("a", { href: "#graph" }, "spangraph")), nav, search(() => state),
    h("button", { type: "button", id: "copy", onclick: () => openCopy(readState()) }, "Copy view"), theme),
  main);
add(document.body, h("div", { id: "announce", class: "unseen", role: "status", "aria-live": "polite" }));
addEventListener("hashchange", () => { state = readState(); show(); });
addEventListener("keydown", shortcut);
startTheme(painted);
painted();
show();
