// The checklist as data: calls, and what JSON pointers into their answers show.
//     rows.mjs ROWS.json URL WORK OTLP one line a case; ok or not ok
//     rows.mjs --missing FOLDER        rows without a case
//
// A file is {"cases": [...]}, run in order against one service.  A case has
//     row     ids of the rows that it proves, with blanks between
//     name    what holds (else what is called)
//     call    [tool, arguments], or
//     rpc     [method, params] of MCP, or
//     sse     [[method, params], ...] over /sse in one session, which answers
//             with the results in an array
//     http    {method, path, body, headers}, with status; or
//     otlp    a body for /v1/traces, where $now is a moment ago and $past 36
//             hours
//     expect  [[pointer, operator, value], ...] of the answer: the structured
//             content of a call, the result of an rpc, the body of an HTTP one
//     error   what the text of a failure holds; expect is of its content
//     save    {name: pointer}: $name stands for it in what follows
//     within  seconds in which it must come to hold
//     repeat  [[...], ...] of values for $0, $1, ...: once for each
// ["$times", text, n] is that text n times.
// Values may hold $name anywhere in a text; $work is the folder of the test,
// $site a site to crawl (tests/e2e/site.js).
//
// Operators: == != < <= > >=; ~ (matches), !~; has, !has (a text or an array
// holds); there, absent; len, len>=, len<= (of an array or text); sum (its length
// is that of the numbers at these pointers); some_text (this string is
// somewhere in it); ratio with [number, least, most]; keys (all of these
// and no other are its members); keys<= (no other); type; each and some with
// [pointer, operator, value] (of every or any element); rising, falling (the
// values at the pointer in each element); same (as the value at that pointer);
// ==but with [name, value] (the same but for members of that name, anywhere).
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const kept = {};

function fill(value) {
  if (typeof value === 'string') {
    const whole = /^\$(\d|[a-z]+)$/.exec(value);
    if (whole && whole[1] in kept)
      return kept[whole[1]];
    return value.replace(/\$(\d|[a-z]+)/g, (all, name) =>
      (name in kept ? String(kept[name]) : all));
  }
  if (Array.isArray(value))
    return value[0] === '$times' ? value[1].repeat(value[2])
      : value.map(fill);
  if (value && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, item]) =>
      [fill(key), fill(item)]));
  return value;
}

function at(root, pointer) {
  let here = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (here === null || typeof here !== 'object' || !(key in here))
      return undefined;
    here = here[key];
  }
  return here;
}

const equal = (a, b) => {
  if (a === b)
    return true;
  if (!a || !b || typeof a !== 'object' || typeof b !== 'object' ||
      Array.isArray(a) !== Array.isArray(b))
    return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length &&
    keys.every((key) => key in b && equal(a[key], b[key]));
};
const holds = (all, part) => (typeof all === 'string'
  ? all.includes(String(part))
  : Array.isArray(all) && all.some((item) => equal(item, part)));
const ordered = (list, pointer, fits) => Array.isArray(list) &&
  list.every((item, i) => i === 0 ||
    fits(at(list[i - 1], pointer), at(item, pointer)));
const without = (value, name) => JSON.parse(JSON.stringify(value ?? null,
  (key, item) => (key === name ? undefined : item)));
const members = (value) => Object.keys(value ?? {}).sort();

const operators = {
  '==': equal,
  '!=': (a, b) => !equal(a, b),
  '==but': (a, [name, b]) => equal(without(a, name), without(b, name)),
  '<': (a, b) => typeof a === 'number' && a < b,
  '<=': (a, b) => typeof a === 'number' && a <= b,
  '>': (a, b) => typeof a === 'number' && a > b,
  '>=': (a, b) => typeof a === 'number' && a >= b,
  '~': (a, b) => typeof a === 'string' && new RegExp(b).test(a),
  '!~': (a, b) => typeof a === 'string' && !new RegExp(b).test(a),
  has: holds,
  '!has': (a, b) => a !== undefined && !holds(a, b),
  there: (a) => a !== undefined,
  absent: (a) => a === undefined,
  len: (a, b) => a?.length === b,
  'len>=': (a, b) => a?.length >= b,
  'len<=': (a, b) => a?.length <= b,
  some_text: (a, b) => new RegExp(`"${b}"`).test(JSON.stringify(a)),
  sum: (a, b, root) => a?.length ===
    b.reduce((all, pointer) => all + at(root, pointer), 0),
  ratio: (a, [of, least, most]) => a / of >= least && a / of <= most,
  keys: (a, b) => equal(members(a), [...b].sort()),
  'keys<=': (a, b) => a && members(a).every((key) => b.includes(key)),
  type: (a, b) => (Array.isArray(a) ? 'array' : a === null ? 'null'
    : typeof a) === b,
  each: (a, b) => Array.isArray(a) && a.every((item) => judge(item, b)),
  some: (a, b) => Array.isArray(a) && a.some((item) => judge(item, b)),
  rising: (a, b) => ordered(a, b, (x, y) => x <= y),
  falling: (a, b) => ordered(a, b, (x, y) => x >= y),
  same: (a, b, root) => equal(a, at(root, b)),
};

function judge(root, [pointer, operator, value]) {
  if (!(operator in operators))
    throw new Error(`no operator ${operator}`);
  return operators[operator](at(root, pointer), value, root);
}

let url;
let traces;
let turn = 0;

async function post(path, body, headers, to = url) {
  const response = await fetch(new URL(path, to), {
    method: 'POST',
    headers: { 'content-type': 'application/json',
      accept: 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20000),
  });
  const text = await response.text();
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    json = text;
  }
  return { status: response.status, json };
}

async function rpc(method, params) {
  turn += 1;
  const { json } = await post('/mcp', { jsonrpc: '2.0', id: turn, method,
    params }, { 'mcp-protocol-version': '2025-11-25' });
  return json;
}

// The messages in the order in which they are asked, each answered before the
// next; no library of ours or of others between.
async function overSse(messages) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), 20000);
  const stream = await fetch(new URL('/sse', url), { signal: stop.signal,
    headers: { accept: 'text/event-stream' } });
  const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async (name) => {
    while (!text.includes('\n\n')) {
      const { value, done } = await reader.read();
      if (done)
        throw new Error(`the stream ends before ${name}`);
      text += value;
    }
    const [event] = text.split('\n\n', 1);
    text = text.slice(event.length + 2);
    if (!event.startsWith(`event: ${name}\ndata: `))
      throw new Error(`no event ${name} but ${event}`);
    return event.slice(`event: ${name}\ndata: `.length);
  };
  try {
    const endpoint = await next('endpoint');
    const results = [];
    for (const [method, params] of messages) {
      turn += 1;
      const { status, json } = await post(endpoint, { jsonrpc: '2.0',
        id: turn, method, params });
      if (status !== 202 || json !== '')
        throw new Error(`status ${status}: ${JSON.stringify(json)}`);
      const answer = JSON.parse(await next('message'));
      if (answer.id !== turn)
        throw new Error(`an answer to ${answer.id}`);
      results.push(answer.result ?? answer.error);
    }
    return results;
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

// {fault: its text or undefined, root: what pointers are of, status}
async function ask(one) {
  if (one.call) {
    const [name, args = {}] = fill(one.call);
    const { result, error } = await rpc('tools/call',
      { name, arguments: args });
    if (error)
      return { fault: error.message, root: error };
    const text = result.content.map((part) => part.text).join('');
    return { fault: result.isError ? text : undefined,
      root: result.structuredContent };
  }
  if (one.rpc) {
    const [method, params = {}] = fill(one.rpc);
    const { result, error } = await rpc(method, params);
    let root = result ?? error;
    const content = result?.contents?.[0]?.text;
    if (content)
      root = { ...result, json: JSON.parse(content) };
    return { fault: error?.message, root };
  }
  if (one.sse)
    return { root: await overSse(fill(one.sse)) };
  if (one.otlp) {
    const { status, json } = await post('/v1/traces', fill(one.otlp), {},
      traces);
    return { status, root: json };
  }
  const { method = 'POST', path, body, headers } = fill(one.http);
  if (method === 'POST') {
    const { status, json } = await post(path, body, headers);
    return { status, root: json };
  }
  const response = await fetch(new URL(path, url), { method, headers,
    signal: AbortSignal.timeout(20000) });
  return { status: response.status, root: await response.text() };
}

async function run(one) {
  const { fault, root, status } = await ask(one);
  const shown = JSON.stringify(root)?.slice(0, 1500);
  if (one.status !== undefined && status !== one.status)
    throw new Error(`status ${status}: ${shown}`);
  if (one.error !== undefined && !fault?.includes(fill(one.error)))
    throw new Error(`no failure that says "${fill(one.error)}" but: ` +
      `${fault ?? shown}`);
  if (one.error === undefined && fault !== undefined)
    throw new Error(`fails: ${fault}`);
  for (const [pointer, operator, value] of one.expect ?? []) {
    const check = [fill(pointer), operator, fill(value)];
    if (!judge(root, check))
      throw new Error(`${JSON.stringify(check)}, but there is ` +
        `${JSON.stringify(at(root, check[0]))?.slice(0, 600)} in ${shown}`);
  }
  for (const [name, pointer] of Object.entries(one.save ?? {})) {
    kept[name] = at(root, pointer);
    if (kept[name] === undefined)
      throw new Error(`nothing at ${pointer} to keep: ${shown}`);
  }
}

async function runWithin(one) {
  const until = Date.now() + (one.within ?? 0) * 1000;
  for (;;) {
    try {
      await run(one);
      return;
    } catch (error) {
      if (Date.now() > until)
        throw error;
      await new Promise((done) => { setTimeout(done, 200); });
    }
  }
}

async function runAll(file) {
  const { cases } = JSON.parse(readFileSync(file, 'utf8'));
  for (const one of cases)
    for (const values of one.repeat ?? [[]]) {
      kept.now = `${Date.now() - 1000}000000`;
      kept.past = `${Date.now() - 36 * 3600e3}000000`;
      values.forEach((value, i) => { kept[i] = fill(value); });
      const what = fill(one.name ?? JSON.stringify(one.call ?? one.rpc ??
        one.http ?? 'otlp'));
      const line = `${one.row}: ${what}`;
      try {
        await runWithin(one);
        console.log(`ok ${line}`);
      } catch (error) {
        console.log(`not ok ${line}\n    ${error.message}`);
      }
    }
}

const words = (file) => readFileSync(file, 'utf8').split('\n')
  .filter((line) => !line.startsWith('#'))
  .flatMap((line) => line.split(/\s+/)).filter(Boolean);

// Pending lines are `ROW why`.
function missing(folder) {
  const wanted = words(join(folder, 'rows.txt'));
  const pending = readFileSync(join(folder, 'pending.txt'), 'utf8')
    .split('\n').filter((line) => line && !line.startsWith('#'))
    .map((line) => line.split(' ')[0]);
  const count = {};
  for (const name of readdirSync(folder).filter((n) => n.endsWith('.json')))
    for (const one of JSON.parse(readFileSync(join(folder, name), 'utf8'))
      .cases)
      for (const row of one.row.split(' '))
        count[row] = (count[row] ?? 0) + 1;
  const say = (bad, line) => console.log(`${bad ? 'not ok' : 'ok'} ${line}`);
  const without = wanted.filter((row) => !count[row]);
  const unknown = Object.keys(count).filter((row) => !wanted.includes(row));
  const proved = pending.filter((row) => count[row]);
  say(unknown.length, `no case is of a row that the list has not: ` +
    unknown.join(' '));
  say(proved.length, `no row with a case is pending: ${proved.join(' ')}`);
  say(without.some((row) => !pending.includes(row)),
    `every row has a case or is pending, which are: ${without.join(' ')}`);
  console.log(`# ${wanted.length - without.length} of ${wanted.length} rows, ` +
    `${Object.values(count).reduce((a, b) => a + b, 0)} cases`);
}

if (process.argv[2] === '--missing') {
  missing(process.argv[3]);
} else {
  url = process.argv[3];
  kept.work = process.argv[4];
  kept.site = process.env.SITE;
  traces = process.argv[5];
  await runAll(process.argv[2]);
}
