// Numbers, times and names for people.

const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export const count = (n) => whole.format(n);
export const brief = (n) => short.format(n);

export function ms(value) {
  if (value === null || value === undefined) return "not known";
  if (value >= 10000) return `${(value / 1000).toFixed(1)} s`;
  return `${value >= 100 ? value.toFixed(0) : value.toFixed(1)} ms`;
}

export function share(part, of) {
  if (!of) return "0 %";
  const percent = (100 * part) / of;
  return `${percent > 0 && percent < 0.1 ? "< 0.1" : percent.toFixed(percent < 10 && percent > 0 ? 1 : 0)} %`;
}

export const time = (s) => (s ? new Date(s * 1000).toISOString().replace("T", " ").replace(/:\d\d\.000Z$/, " UTC") : "never");

export function ago(s, now) {
  if (!s) return "never";
  const back = Math.max(0, now - s);
  if (back < 90) return "just now";
  if (back < 5400) return `${Math.round(back / 60)} minutes ago`;
  if (back < 172800) return `${Math.round(back / 3600)} hours ago`;
  return `${Math.round(back / 86400)} days ago`;
}

export function bytes(n) {
  if (n < 1024) return `${n} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let i = -1;
  do {
    n /= 1024;
    i += 1;
  } while (n >= 1024 && i < units.length - 1);
  return `${n.toFixed(n < 10 ? 1 : 0)} ${units[i]}`;
}

const owned = new Set(["route", "rpc", "consumer"]);

/** A node's name, with its service where that says more, and its environment. */
export function label(node, full = false) {
  const name = owned.has(node.kind) && full ? `${node.service} ${node.name}` : node.name;
  return node.env && full ? `${name} (${node.env})` : name;
}

const kinds = {
  call: "calls", virtual_in: "calls from outside", virtual_out: "calls to outside", db: "queries",
  msg: "messages", msg_pub: "publishes", msg_sub: "consumes",
};
export const kindOf = (kind) => kinds[kind] ?? kind.replaceAll("_", " ");
