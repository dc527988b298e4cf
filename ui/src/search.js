// Search as one types: a combobox, as the ARIA practices have it.
import { announce, fill, h } from "./dom.js";
import { ask } from "./api.js";
import { go, switchView } from "./state.js";

const WAIT_MS = 120;
const codeKinds = new Set(["function", "method"]);

export function search(current) {
  let found = [];
  let at = -1;
  let timer = 0;
  let abort = null;
  const list = h("ul", { id: "found", role: "listbox", "aria-label": "Found", hidden: true });
  const input = h("input", {
    type: "search", id: "search", role: "combobox", "aria-label": "Search services, routes, topics, functions", "aria-expanded": "false",
    "aria-controls": "found", "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false", maxlength: 200, placeholder: "Search (Ctrl+K)",
    oninput: () => { clearTimeout(timer); timer = setTimeout(look, WAIT_MS); },
    onkeydown: key, onblur: () => setTimeout(close, 150),
  });

  function close() {
    list.hidden = true;
    at = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function mark(next) {
    at = next;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === at)));
    const item = list.children[at];
    if (!item) return;
    input.setAttribute("aria-activedescendant", item.id);
    item.scrollIntoView({ block: "nearest" });
  }

  function choose(one) {
    close();
    input.value = "";
    const state = current();
    const next = state.view === "edges" ? { ...state } : switchView(state, "graph");
    const level = codeKinds.has(one.kind) ? "symbol" : one.kind === "service" ? "service" : next.level === "service" && ["route", "rpc", "consumer"].includes(one.kind) ? "endpoint" : next.level;
    go({ ...next, focus: one.key, level, env: one.env || next.env });
  }

  async function look() {
    const q = input.value.trim();
    abort?.abort();
    if (!q) return close();
    abort = new AbortController();
    try {
      const answer = await ask("search", { q, limit: 20 }, abort.signal);
      found = answer.found;
      show(q, answer.total);
    } catch (error) {
      if (error.name !== "AbortError") announce(error.message);
    }
  }

  function show(q, total) {
    fill(list, found.length
      ? found.map((one, i) => h("li", { role: "option", id: `found-${i}`, "aria-selected": "false", onmousedown: (event) => { event.preventDefault(); choose(one); } },
        h("span", { class: "kind" }, one.kind), " ", one.name, " ",
        h("small", {}, [one.service !== one.name ? one.service : "", one.env, one.file ? `${one.file}:${one.line}` : ""].filter(Boolean).join(" · "))))
      : h("li", { role: "option", "aria-disabled": "true", "aria-selected": "false" }, `Nothing is called “${q}”.`));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    announce(found.length ? `${found.length} of ${total} names; arrow keys choose.` : "Nothing found.");
    at = -1;
  }

  function key(event) {
    if (event.key === "Escape") {
      input.value = "";
      close();
    } else if (event.key === "ArrowDown" && found.length) mark((at + 1) % found.length);
    else if (event.key === "ArrowUp" && found.length) mark((at - 1 + found.length) % found.length);
    else if (event.key === "Enter" && !list.hidden && found.length) choose(found[Math.max(0, at)]);
    else return;
    event.preventDefault();
  }

  return h("div", { class: "search" }, input, list);
}
