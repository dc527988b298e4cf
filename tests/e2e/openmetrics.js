// Checks that standard input is OpenMetrics 1.0 text, as a strict reader would;
// says what is wrong and ends with 1, or prints how many samples there are.
'use strict';

const text = require('fs').readFileSync(0, 'utf8');
const wrong = [];
const families = new Map();
const samples = new Set();
const suffixes = { counter: ['_total', '_created'], gauge: [''], histogram: ['_bucket', '_count', '_sum', '_created'] };
let family = null;

function begin(word, name, rest) {
  if (!family || family.name !== name) {
    if (families.has(name)) wrong.push(`${name} comes twice`);
    family = { name, type: 'unknown', series: new Map() };
    families.set(name, family);
  }
  if (family.samples) wrong.push(`${word} of ${name} after its samples`);
  if (family[word]) wrong.push(`two ${word} of ${name}`);
  family[word] = rest;
  if (word === 'TYPE') family.type = rest;
  if (word === 'TYPE' && !suffixes[rest]) wrong.push(`${name} is a ${rest}`);
  if (word === 'HELP' && !rest) wrong.push(`${name} has no help`);
}

function sample(line) {
  const match = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[^}]*\})? (-?[0-9.e+-]+|\+Inf|NaN)$/.exec(line);
  if (!match) return wrong.push(`not understood: ${line}`);
  const [, name, labels = '', value] = match;
  if (labels && !/^\{[a-z_]+="([^"\\\n]|\\["\\n])*"(,[a-z_]+="([^"\\\n]|\\["\\n])*")*\}$/.test(labels)) wrong.push(`labels: ${line}`);
  if (samples.has(name + labels)) wrong.push(`twice: ${name}${labels}`);
  samples.add(name + labels);
  const suffix = family && name.startsWith(family.name) ? name.slice(family.name.length) : null;
  if (!family || !(suffixes[family.type] || []).includes(suffix)) return wrong.push(`${name} is not of the family before it`);
  family.samples = (family.samples || 0) + 1;
  if (family.type !== 'gauge' && !(Number(value) >= 0)) wrong.push(`negative: ${line}`);
  if (family.type !== 'histogram') return;
  const le = /,?le="([^"]*)"/.exec(labels);
  if ((suffix === '_bucket') !== Boolean(le)) return wrong.push(`le: ${line}`);
  const key = labels.replace(/,?le="[^"]*"/, '').replace('{}', '');
  if (!family.series.has(key)) family.series.set(key, { buckets: [] });
  const one = family.series.get(key);
  if (one !== [...family.series.values()].pop()) wrong.push(`not together: ${line}`);
  if (le && !/^(\+Inf|\d+\.\d+|\d(\.\d+)?e[+-]\d+)$/.test(le[1])) wrong.push(`no canonical number: ${line}`);
  if (le) one.buckets.push([le[1], Number(value)]);
  else one[suffix] = Number(value);
}

if (!text.endsWith('\n# EOF\n')) wrong.push('it does not end with # EOF');
for (const line of text.split('\n').slice(0, -2)) {
  const meta = /^# (TYPE|HELP|UNIT) ([a-zA-Z_:][a-zA-Z0-9_:]*) ?(.*)$/.exec(line);
  if (meta) begin(meta[1], meta[2], meta[3]);
  else sample(line);
}
for (const [name, one] of families) {
  if (!one.TYPE || !one.HELP) wrong.push(`${name} lacks TYPE or HELP`);
  if (!one.samples) wrong.push(`${name} has no sample`);
  if (one.type !== 'histogram') continue;
  for (const [labels, { buckets, _count, _sum }] of one.series) {
    const bounds = buckets.map(([le]) => (le === '+Inf' ? Infinity : Number(le)));
    const counts = buckets.map(([, count]) => count);
    if (bounds.some((b, i) => i && !(b > bounds[i - 1])) || bounds[bounds.length - 1] !== Infinity) wrong.push(`bounds of ${name}${labels}`);
    if (counts.some((c, i) => i && c < counts[i - 1]) || counts[counts.length - 1] !== _count) wrong.push(`counts of ${name}${labels}`);
    if (!(_sum >= 0)) wrong.push(`sum of ${name}${labels}`);
  }
}
console.log(wrong.length ? wrong.join('\n') : `${samples.size} samples`);
process.exit(wrong.length ? 1 : 0);
