// The same view elsewhere: as a link, as a command line, as a call over MCP.
// Each says the nearest that there is: commands and tools tell the edges at the
// focus, not the picture around it.
import { announce, fill, h, newId } from "./dom.js";
import { hashOf, windowOf } from "./state.js";

const quote = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
const line = (...parts) => ["spangraph", ...parts.flat().filter((part) => part !== "")].map(quote).join(" ");

const serviceOf = (focus) => /^service:(.*)$/s.exec(focus)?.[1];

/** How far back the window begins, as commands and tools take it; "" for all. */
function since(state) {
  const now = Math.floor(Date.now() / 1000);
  const { from } = windowOf(state, now);
  return from ? (state.from ? `${Math.max(1, Math.ceil((now - from) / 3600))}h` : state.since) : "";
}

function graphParts(state) {
  const service = serviceOf(state.focus);
  const back = since(state);
  if (state.focus && service === undefined) {
    const name = state.focus.replace(/^code:/, "");
    if (name !== state.focus) {
      return { command: ["callers", name, "--depth", state.depth], tool: "graph_node", args: { nodeId: name, disclosureLevel: 3 } };
    }
    return { command: ["call", "graph_node", `nodeId=${name}`, "disclosureLevel=3"], tool: "graph_node", args: { nodeId: name, disclosureLevel: 3 } };
  }
  const env = state.env;
  return {
    command: ["edges", "--level", state.level, service ? ["--service", service] : [], env ? ["--env", env] : [], back ? ["--since", back] : []],
    tool: "service_map",
    args: { level: state.level, ...(service ? { service } : {}), ...(env ? { env } : {}), ...(back ? { since: back } : {}), limit: Math.min(500, Number(state.limit) || 100) },
  };
}

function deadParts(state) {
  const { stale_days, service, env, owner, verdict } = state;
  const given = Object.entries({ service, env, owner }).filter(([, value]) => value);
  return {
    command: ["dead-routes", "--since", `${stale_days}d`, given.map(([key, value]) => [`--${key}`, value]).flat(), "--fail-on", "none"],
    tool: "dead_routes",
    args: { stale_days: Number(stale_days), ...Object.fromEntries(given), verdict, limit: 100 },
  };
}

export function partsOf(state) {
  if (state.view === "dead") return deadParts(state);
  if (state.view === "health") return { command: ["status", "--server", location.origin], tool: "trace_stats", args: {} };
  return graphParts(state);
}

export function texts(state) {
  const { command, tool, args } = partsOf(state);
  return {
    link: `${location.origin}/${hashOf(state)}`,
    cli: line(command.flat()),
    mcp: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args } }),
  };
}

async function copy(input, done) {
  input.select();
  try {
    await navigator.clipboard.writeText(input.value);
    done("Copied.");
  } catch {
    // Only pages of this machine, or over TLS, may write the clipboard.
    done(document.execCommand("copy") ? "Copied." : "It is selected: copy it with Ctrl+C.");
  }
}

export function openCopy(state) {
  const all = texts(state);
  const words = h("p", { role: "status" });
  const row = (title, key, help) => {
    const id = newId("copy");
    const input = h("input", { type: "text", id, readonly: true, value: all[key], "data-copy": key });
    return h("div", { class: "copy" }, h("label", { for: id }, title), input,
      h("button", { type: "button", "aria-label": `Copy ${title}`, onclick: () => copy(input, (text) => { fill(words, text); announce(text); }) }, "Copy"), h("small", {}, help));
  };
  const isGraph = state.view === "graph" || state.view === "edges";
  const dialog = h("dialog", { "aria-label": "Copy this view" },
    h("h2", {}, "Copy this view"),
    row("Link", "link", "opens this view again"),
    row("Command line", "cli", isGraph ? `run it where the service's ./data is; it tells the edges at the focus${state.to ? ", until now" : ""}` : state.view === "dead" ? "run it where the service's ./data is, or add --server" : "asks the running service"),
    row("MCP call", "mcp", "POST it to /mcp, or give it to an agent"),
    words,
    h("form", { method: "dialog" }, h("button", { id: "close-copy" }, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
