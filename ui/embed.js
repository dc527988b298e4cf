// Print C that holds the files of a folder, compressed (api/ui_assets.h).
//
//   node embed.js FOLDER
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const files = [
  ["/index.html", "index.html", "text/html; charset=utf-8"],
  ["/ui/app.js", "app.js", "text/javascript; charset=utf-8"],
  ["/ui/app.css", "app.css", "text/css; charset=utf-8"],
  ["/ui/elk.js", "elk.js", "text/javascript; charset=utf-8"],
  ["/ui/force.js", "force.js", "text/javascript; charset=utf-8"],
  ["/ui/icon.svg", "icon.svg", "image/svg+xml"],
];

const rows = files.map(([path, name, type], i) => {
  const plain = readFileSync(`${process.argv[2]}/${name}`);
  const packed = gzipSync(plain, { level: 9 });
  const etag = createHash("sha256").update(plain).digest("hex").slice(0, 16);
  const bytes = packed.toString("hex").replace(/../g, "0x$&,").replace(/.{75}/g, "$&\n");
  process.stdout.write(`static const unsigned char file_${i}[] = {\n${bytes}\n};\n`);
  return `    {"${path}", "${type}", "\\"${etag}\\"", file_${i}, sizeof(file_${i}), ${plain.length}},\n`;
});

process.stdout.write(`#include "api/ui_assets.h"

const struct ui_asset ui_assets[] = {
${rows.join("")}};
const size_t ui_asset_len = sizeof(ui_assets) / sizeof(ui_assets[0]);
`);
