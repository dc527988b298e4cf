// The notation of the tables: one line a span, one line an edge.
//
//   { id: 'P01', title: 'what holds', spans: [...], edges: [...],
//     endpoints: [...], counters: {...}, alone: true }
//
// A span: [TRACE:]id KIND service [<[TRACE:]parent] [!] [remote|local]
//         [~[TRACE:]linked]... [key=value]...
//
//   KIND      S server, C client, P producer, N consumer, I internal,
//             U unspecified
//   service   name, or namespace/name; `-`: the resource has no name
//   !         status ERROR
//   remote    the sender says that the parent is of another process; local:
//             that it is not
//   @key=     an attribute of the resource; env= the environment
//   name=     of the span; ts= its tracestate; scope= of the instrumentation
//   at=, for= seconds after the first span, and how long (0.005)
//   trace=, span=, up=  ids as they are sent
//   key=      an attribute: digits are an integer, true and false a boolean,
//             'quoted' a string whatever it holds
//
// An edge: `source -> target kind count[/errors][ wWEIGHTED]`; the weight is
// left out where it is the count.  Names are those of the case: what the store
// has is `ID.name`.
'use strict';

const crypto = require('crypto');

const KINDS = { U: 0, I: 1, S: 2, C: 3, P: 4, N: 5 };
const HAS_IS_REMOTE = 0x100;
const IS_REMOTE = 0x200;
const START_NS = BigInt(Math.floor(Date.now() / 1000) - 600) * 1000000000n;

const hex = (text, digits) => crypto.createHash('sha256').update(text).digest('hex').slice(0, digits);

function value(text) {
  if (/^'.*'$/.test(text)) return { stringValue: text.slice(1, -1) };
  if (/^\d+$/.test(text)) return { intValue: text };
  if (/^\d+\.\d+$/.test(text)) return { doubleValue: Number(text) };
  if (text === 'true' || text === 'false') return { boolValue: text === 'true' };
  return { stringValue: text };
}

const plain = (text) => text.replace(/^'(.*)'$/, '$1');
const attribute = ([key, text]) => ({ key, value: value(text) });

function ids(c, word) {
  const [trace, id] = word.includes(':') ? word.split(':') : ['T', word];
  return { traceId: hex(`${c.id}/${trace}`, 32), spanId: hex(`${c.id}/${id}`, 16) };
}

function named(c, key, text) {
  const isName = key === 'service.name' || /^k8s\..*\.name$/.test(key);
  return isName && key !== 'k8s.namespace.name' ? `'${c.id}.${plain(text)}'` : text;
}

function resource(c, service, pairs) {
  const out = [];
  const [name, space] = service.split('/').reverse();
  if (name !== '-') out.push(['service.name', `'${c.id}.${name}'`]);
  if (space) out.push(['service.namespace', `'${space}'`]);
  for (const [key, text] of pairs) out.push([key, named(c, key, text)]);
  return { attributes: out.map(attribute) };
}

function readWord(c, span, word) {
  if (word === '!') span.status = { code: 2 };
  else if (word === 'remote') span.flags = HAS_IS_REMOTE | IS_REMOTE;
  else if (word === 'local') span.flags = HAS_IS_REMOTE;
  else if (word[0] === '<') span.parentSpanId = ids(c, word.slice(1)).spanId;
  else if (word[0] === '~') span.links.push(ids(c, word.slice(1)));
  else throw new Error(`${c.id}: what is ${word}?`);
}

function parseSpan(c, line, index) {
  const words = line.match(/(?:[^\s']|'[^']*')+/g);
  const [word, kind, service] = words.splice(0, 3);
  const span = { ...ids(c, word), name: 'work', kind: KINDS[kind], attributes: [], links: [] };
  const times = { at: index / 100, for: 0.005 };
  const about = [];
  const scope = {};
  const special = {
    name: (text) => { span.name = plain(text); },
    ts: (text) => { span.traceState = plain(text); },
    trace: (text) => { span.traceId = plain(text); },
    span: (text) => { span.spanId = plain(text); },
    up: (text) => { span.parentSpanId = plain(text); },
    at: (text) => { times.at = Number(text); },
    for: (text) => { times.for = Number(text); },
    env: (text) => { about.push(['deployment.environment.name', text]); },
    scope: (text) => { scope.name = plain(text); },
  };
  if (span.kind === undefined) throw new Error(`${c.id}: what kind is ${kind}?`);
  for (const w of words) {
    const [, key, text] = /^([^=~<]+)=(.*)$/.exec(w) || [];
    if (key === undefined) readWord(c, span, w);
    else if (special[key]) special[key](text);
    else if (key[0] === '@') about.push([key.slice(1), text]);
    else span.attributes.push(attribute([key, text]));
  }
  const ns = (seconds) => BigInt(Math.round(seconds * 1e9));
  span.startTimeUnixNano = String(START_NS + ns(times.at));
  span.endTimeUnixNano = String(START_NS + ns(times.at + times.for));
  return { resource: resource(c, service, about), scopeSpans: [{ scope, spans: [span] }] };
}

function parseCase(c) {
  const spans = c.spans.map((line, index) => parseSpan(c, line, index));
  const counters = {
    spans: spans.length - ((c.counters || {}).rejected || 0) - ((c.counters || {}).duplicates || 0),
    duplicates: 0, rejected: 0, orphan_ingress: 0, unresolved_egress: 0,
    unresolved_links: 0, inproc_db: 0, evicted: 0, synthetic: 0, ...c.counters,
  };
  const sorted = (list) => list && [...list].sort();
  return { ...c, spans, counters, edges: sorted(c.edges), endpoints: sorted(c.endpoints) };
}

module.exports = { parseCase };
