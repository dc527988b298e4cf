// Prints weeks of traffic of examples/shop as OTLP JSON lines: the recorded trace,
// every HOURS hours (1) of the last DAYS days (35), up to now, with ids of its own.
//
//   node examples/month.js [DAYS [HOURS]] | spangraph ingest -
'use strict';

const fs = require('fs');
const path = require('path');

const SECOND = 1000000000n;
const days = Number(process.argv[2] || 35);
const hours = Number(process.argv[3] || 1);
const lines = fs.readFileSync(path.join(__dirname, 'shop', 'trace.jsonl'), 'utf8').trim().split('\n');
const last = lines.join().match(/TimeUnixNano":"\d+/g).map((text) => BigInt(text.split('"')[2]))
  .reduce((a, b) => (a > b ? a : b));
const now = BigInt(Math.floor(Date.now() / 1000)) * SECOND;

for (let ago = days * 24; ago >= 0; ago -= hours) {
  const shift = now - last - BigInt(ago) * 3600n * SECOND;
  const mark = ago.toString(16).padStart(4, '0');
  for (const line of lines) {
    console.log(line
      .replace(/(TimeUnixNano":")(\d+)/g, (all, name, time) => name + (BigInt(time) + shift))
      .replace(/"(traceId|spanId|parentSpanId)":"([0-9a-f]*)[0-9a-f]{4}"/g, `"$1":"$2${mark}"`));
  }
}
