// Runs the tables of tests/e2e/cases/ through the program, in many orders, and
// compares the edges.
//
//   node cases.js SPANGRAPH WORKDIR             by `ingest`, every order
//   node cases.js SPANGRAPH WORKDIR URL         by HTTP to a service: half of the
//                                               requests JSON, half protobuf,
//                                               and half of these with gzip
//
// Prints one line a check.  Each case has service names and trace ids of its
// own, so that all of them fit one store.
'use strict';

const { execFileSync } = require('child_process');
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const zlib = require('zlib');
const { encode } = require('./protobuf');
const { parseCase } = require('./cases/notation');

const [, , program, work, url] = process.argv;
const files = ['calls', 'peers', 'messages', 'routes', 'names'];
const cases = files.flatMap((file) => require(`./cases/${file}`)).map(parseCase);
const ORDERS = 24; // all permutations of four
const PERMUTED = 4;
let failures = 0;

function report(ok, name, detail) {
  console.log(ok ? `ok ${name}` : `not ok ${name}`);
  if (!ok) {
    failures += 1;
    console.log(detail);
  }
}

// A generator of numbers in 0..1 that is the same in every run.
function random(seed) {
  let n = 0;
  return () => {
    n += 1;
    return crypto.createHash('sha256').update(`${seed}/${n}`).digest().readUInt32BE(0) / 2 ** 32;
  };
}

function shuffled(list, seed) {
  const out = [...list];
  const next = random(seed);
  for (let i = out.length - 1; i > 0; i -= 1) {
    const j = Math.floor(next() * (i + 1));
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

// Permutation |k| of |list|; each comes once as k runs to the factorial.
function permuted(list, k) {
  const from = [...list];
  const out = [];
  let rest = k;
  while (from.length) {
    out.push(...from.splice(rest % from.length, 1));
    rest = Math.floor(rest / (from.length + 1));
  }
  return out;
}

const request = (spans) => JSON.stringify({ resourceSpans: spans });

// The requests of one order, each a line.
const orders = {
  'as given': (list) => list.map((c) => request(c.spans)),
  'in reverse': (list) => [...list].reverse().map((c) => request([...c.spans].reverse())),
  'in one request': (list) => [request(shuffled(list.flatMap((c) => c.spans), 'one'))],
};
for (let k = 0; k < ORDERS; k += 1) {
  orders[`span by span, order ${k}`] = (list) => {
    const turns = list.map((c) => (c.spans.length <= PERMUTED
      ? permuted(c.spans, k) : shuffled(c.spans, `${c.id}/${k}`)));
    const out = [];
    // Which case is next is a matter of chance, the order within is not.
    const next = shuffled(turns.flatMap((spans, i) => spans.map(() => i)), k);
    next.forEach((i) => out.push(request([turns[i].shift()])));
    return out;
  };
}

function ask(command, data, ...args) {
  return JSON.parse(execFileSync(program, [command, '--data', data, '--json', ...args],
    { encoding: 'utf8', timeout: 20000, maxBuffer: 1 << 28 }));
}

function ingest(name, lines) {
  const data = path.join(work, name);
  const file = `${data}.jsonl`;
  fs.writeFileSync(file, `${lines.join('\n')}\n`);
  fs.writeFileSync(`${data}.yaml`, 'intake: {exclude: {routes: ["GET /healthz*"]}}\n');
  execFileSync(program, ['ingest', '--config', `${data}.yaml`, '--data', data, file],
    { timeout: 20000, stdio: ['ignore', 'ignore', 'pipe'] });
  return data;
}

// Edges as the tables write them, each list under its case.
function edgesOf(data, level, owner) {
  const found = new Map();
  const add = (id, line) => found.set(id, [...(found.get(id) || []), line]);
  const name = (end, service, env) => {
    const scoped = level === 'endpoint' && service && service !== end ? `${service} ${end}` : end;
    return env ? `${scoped}@${env}` : scoped;
  };
  for (const e of ask('edges', data, '--level', level).edges) {
    const source = name(e.source, e.source_service, e.source_env);
    const target = name(e.target, e.target_service, e.target_env);
    const weight = e.weighted === e.count ? '' : ` w${Number(e.weighted.toFixed(4))}`;
    const errors = e.errors ? `/${e.errors}` : '';
    const line = `${source} -> ${target} ${e.kind} ${e.count}${errors}${weight}`;
    const id = /([A-Z]+\d+[a-z]?)\./.exec(line);
    add(id ? id[1] : owner, line.replace(/[A-Z]+\d+[a-z]?\./g, ''));
  }
  for (const list of found.values()) list.sort();
  return found;
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function differences(data, list) {
  const service = edgesOf(data, 'service', list.length === 1 ? list[0].id : '');
  const endpoint = edgesOf(data, 'endpoint', '');
  const out = [];
  for (const c of list) {
    const got = service.get(c.id) || [];
    if (!same(got, c.edges)) out.push({ c, what: 'service', want: c.edges, got });
    const fine = endpoint.get(c.id) || [];
    if (c.endpoints && !same(fine, c.endpoints)) {
      out.push({ c, what: 'endpoint', want: c.endpoints, got: fine });
    }
  }
  if (service.has('')) out.push({ c: { id: '-' }, what: 'of no case', want: [], got: service.get('') });
  return out;
}

const NAMES = ['spans', 'duplicates', 'rejected', 'orphan_ingress', 'unresolved_egress',
  'unresolved_links', 'inproc_db', 'evicted', 'synthetic'];

function counterDifferences(data, list) {
  const { counters } = ask('stats', data);
  return NAMES.flatMap((name) => {
    const want = list.reduce((sum, c) => sum + c.counters[name], 0);
    return counters[name] === want ? [] : [`${name}: want ${want}, got ${counters[name]}`];
  });
}

const show = (d) => `  ${d.c.id} ${d.c.title || ''}, ${d.what}\n    want ${d.want.join('; ')}\n    got  ${d.got.join('; ')}`;

// As the Collector's file exporter writes protobuf: lengths of four bytes.
function runProtobuf(list) {
  const data = path.join(work, 'protobuf');
  const parts = list.flatMap((c) => {
    const body = encode(c.spans);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length);
    return [length, body];
  });
  fs.writeFileSync(`${data}.pb`, Buffer.concat(parts));
  execFileSync(program, ['ingest', '--config', path.join(work, 'cases.yaml'), '--data', data, `${data}.pb`],
    { timeout: 20000, stdio: ['ignore', 'ignore', 'pipe'] });
  const wrong = [...differences(data, list).map(show), ...counterDifferences(data, list)];
  report(wrong.length === 0, 'all cases as protobuf', wrong.join('\n'));
}

function runAlone(c) {
  const data = ingest(`alone-${c.id}`, orders['as given']([c]));
  const wrong = [...differences(data, [c]).map(show), ...counterDifferences(data, [c])];
  report(wrong.length === 0, `${c.id} ${c.title}`, wrong.join('\n'));
  fs.rmSync(data, { recursive: true });
}

// One line a case; where the counters of all do not add up, each by itself.
function runCases(list) {
  const data = ingest('cases', orders['as given'](list));
  const wrong = differences(data, list);
  const counters = counterDifferences(data, list);
  fs.rmSync(data, { recursive: true });
  report(counters.length === 0, 'the counters of all cases', counters.join('\n'));
  if (counters.length) {
    list.forEach(runAlone);
    return;
  }
  for (const c of list) {
    const of = wrong.filter((d) => d.c === c);
    report(of.length === 0, `${c.id} ${c.title}`, of.map(show).join('\n'));
  }
}

function runOrders(list) {
  for (const [name, order] of Object.entries(orders).slice(1)) {
    const data = ingest(name.replace(/\W+/g, '-'), order(list));
    const wrong = [...differences(data, list).map(show), ...counterDifferences(data, list)];
    report(wrong.length === 0, `all cases ${name}`, wrong.join('\n'));
    fs.rmSync(data, { recursive: true });
  }
}

async function post(line, turn) {
  const headers = { 'Content-Type': 'application/json' };
  let body = Buffer.from(line);
  if (turn % 2) {
    headers['Content-Type'] = 'application/x-protobuf';
    body = encode(JSON.parse(line).resourceSpans);
  }
  if (turn % 4 > 1) {
    headers['Content-Encoding'] = 'gzip';
    body = zlib.gzipSync(body);
  }
  const answer = await fetch(url, {
    method: 'POST', body, headers,
    signal: AbortSignal.timeout(5000),
  });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`status ${answer.status}`);
}

async function runService(list) {
  const data = path.join(work, 'data');
  const lines = orders['span by span, order 1'](list);
  const lanes = 8;
  await Promise.all([...Array(lanes).keys()].map(async (lane) => {
    for (let i = lane; i < lines.length; i += lanes) await post(lines[i], Math.floor(i / lanes));
  }));
  let wrong = ['not asked'];
  for (let tries = 0; tries < 40 && wrong.length; tries += 1) {
    await new Promise((resolve) => { setTimeout(resolve, 250); });
    wrong = [...differences(data, list).map(show), ...counterDifferences(data, list)];
  }
  report(wrong.length === 0, 'all cases over eight connections, as JSON and protobuf', wrong.join('\n'));
}

async function main() {
  const common = cases.filter((c) => !c.alone);
  if (url) {
    await runService(common);
  } else {
    cases.filter((c) => c.alone).forEach(runAlone);
    runCases(common);
    runOrders(common);
    runProtobuf(common);
  }
  process.exitCode = failures ? 1 : 0;
}

main();
