// Light and dark: as the system has it, until somebody chooses.

const KEY = "spangraph-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

export const isDark = () => (document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
export const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function startTheme(changed) {
  const chosen = localStorage.getItem(KEY);
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
  dark.addEventListener("change", changed);
}

export function toggleTheme() {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem(KEY, next);
}

// Each at least 4.5:1 on its background (style.css), and never told by colour
// alone: the panel, the hint and the table say it in words.
const palettes = {
  light: {
    back: "#ffffff", text: "#1f2328", faint: "#d0d7de", quiet: "#656d76",
    observed: "#0969da", static: "#8250df", both: "#0f766e",
    good: "#1a7f37", some: "#9a6700", bad: "#cf222e", chosen: "#bc4c00",
  },
  dark: {
    back: "#0d1117", text: "#e6edf3", faint: "#30363d", quiet: "#8b949e",
    observed: "#58a6ff", static: "#d2a8ff", both: "#2dd4bf",
    good: "#3fb950", some: "#d29922", bad: "#ff7b72", chosen: "#ffa657",
  },
};
export const palette = () => palettes[isDark() ? "dark" : "light"];

/** |color|, "#rrggbb", over the background with so much of it left. */
export function pale(color, left) {
  const channels = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  const back = channels(palette().back);
  const mixed = channels(color).map((value, i) => Math.round(value * left + back[i] * (1 - left)));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/** The share of errors in words that are also names of colours. */
export function healthOf(calls, errors) {
  if (!calls) return "quiet";
  const failed = errors / calls;
  return failed >= 0.05 ? "bad" : failed >= 0.005 ? "some" : "good";
}
export const healthWords = { good: "fewer than 0.5 % fail", some: "0.5 % to 5 % fail", bad: "5 % or more fail", quiet: "no calls" };
export const evidenceWords = { observed: "observed only", static: "only in the code", both: "in the code and observed" };
