// CSV as RFC 4180 has it.  A text that a spreadsheet would run as a formula gets
// a quote before it: names come from spans.

const cell = (value) => {
  let text = value === null || value === undefined ? "" : String(value);
  if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const csvOf = (heads, rows) => [heads, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";

export function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
