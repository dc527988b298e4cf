// Attacks that are a matter of numbers.  Each prints one JSON line with what
// was seen; test_attack.sh says what is bearable.
//
//   node attack.js slow HTTP QUERY COUNT SECONDS slow writers and readers; "open N" when they are
//   node attack.js beside HTTP QUERY COUNT RATE PID  steady senders, by turns alone and beside slow
//                                                peers: {open,sent,failed,turns}, p99 in ms
//                                                {alone,beside}, ratios of p99 and CPU {p99,cpu}
//   node attack.js idle ADDRESS COUNT SECONDS    connections that say nothing; "open N"
//   node attack.js floods ADDRESS                HTTP/2 frames without end: {name: {closed,sent_kib,ms}}
//   node attack.js names HTTP COUNT              as many names of every kind
//   node attack.js overload HTTP SECONDS TIMES PID
'use strict';

const { spawn } = require('child_process');
const fs = require('fs');
const http = require('http');
const net = require('net');
const crypto = require('crypto');
const { bytes, number, fixed64, attribute } = require('./client.js');

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const split = (address) => {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at), port: Number(address.slice(at + 1)) };
};
const say = (what) => console.log(typeof what === 'string' ? what : JSON.stringify(what));
const rank = (sorted, part) => (sorted.length ? Number(sorted[Math.floor((sorted.length - 1) * part)].toFixed(2)) : 0);

// A batch of |count| root SERVER spans, and where the ids are in it.
function batch(count) {
  const now = BigInt(Date.now()) * 1000000n;
  const spans = Array.from({ length: count }, () => bytes(2, Buffer.concat([
    bytes(1, Buffer.alloc(16, 0xee)), bytes(2, Buffer.alloc(8, 0xdd)), bytes(5, 'GET /load'), number(6, 2),
    fixed64(7, now), fixed64(8, now + 1000000n), attribute(9, 'http.route', '/load'),
    attribute(9, 'http.request.method', 'GET')])));
  const body = bytes(1, Buffer.concat([bytes(1, attribute(1, 'service.name', 'load')), bytes(2, Buffer.concat(spans))]));
  const places = [];
  const mark = Buffer.alloc(16, 0xee);
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + 16)) places.push(at);
  return () => {
    const copy = Buffer.from(body);
    const ids = crypto.randomBytes(24 * places.length);
    places.forEach((at, i) => {
      ids.copy(copy, at, 24 * i, 24 * i + 16);
      ids.copy(copy, at + 18, 24 * i + 16, 24 * i + 24);
    });
    return copy;
  };
}

function post(address, agent, body, type = 'application/x-protobuf') {
  const begin = process.hrtime.bigint();
  return new Promise((resolve) => {
    const req = http.request({
      ...split(address), path: '/v1/traces', method: 'POST', agent, timeout: 30000,
      headers: { 'Content-Type': type, 'Content-Length': body.length },
    }, (res) => {
      res.resume();
      res.on('end', () => resolve({ status: res.statusCode, retry: res.headers['retry-after'],
        ms: Number(process.hrtime.bigint() - begin) / 1e6 }));
    });
    req.on('error', () => resolve({ status: 0 }));
    req.on('timeout', () => req.destroy());
    req.end(body);
  });
}

async function good(address, seconds, rate) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  const make = batch(1);
  const times = [];
  const said = { sent: 0, failed: 0 };
  const under_way = [];
  const begin = Date.now();
  while (Date.now() - begin < seconds * 1000) {
    for (const due = ((Date.now() - begin) / 1000) * rate; said.sent < due; said.sent += 1) {
      under_way.push(post(address, agent, make()).then((reply) => {
        if (reply.status === 200) times.push(reply.ms);
        else said.failed += 1;
      }));
    }
    await sleep(2);
  }
  await Promise.all(under_way);
  agent.destroy();
  times.sort((a, b) => a - b);
  return { ...said, p99: rank(times, 0.99) };
}

const median = (list) => rank([...list].sort((a, b) => a - b), 0.5);

// What all threads of process |pid| have run so far, in ms.
function cpu_ms(pid) {
  const tasks = fs.readdirSync(`/proc/${pid}/task`);
  return tasks.reduce((sum, task) => sum + Number(fs.readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'latin1').split(' ')[0]), 0) / 1e6;
}

// Waits until process |pid| takes less than a tenth of a core, 15 s at most: so
// that the burst in which peers come or go is over.
async function settle(pid) {
  for (let i = 0, last = cpu_ms(pid); i < 30; i++) {
    await sleep(500);
    const now = cpu_ms(pid);
    if (now - last < 50) return;
    last = now;
  }
}

// p99 and CPU a request, alone and beside, each turn next to the other in time,
// so that what else goes on here meets both.  One turn says little; after three,
// the medians of their ratios are asked, and so long as one is high up to five
// are taken.
async function beside(address, query, count, rate, pid) {
  const turns = [];
  const total = { open: 0, sent: 0, failed: 0 };
  const window = async () => {
    const begin = cpu_ms(pid);
    const said = await good(address, 2, rate);
    total.sent += said.sent;
    total.failed += said.failed;
    return { p99: said.p99, cpu: (cpu_ms(pid) - begin) / said.sent };
  };
  const of = (read) => median(turns.map(read));
  const ratio = (what) => of((turn) => turn.beside[what] / turn.alone[what]);
  while (turns.length < 3 || (turns.length < 5 && Math.max(ratio('p99'), ratio('cpu')) > 1.2)) {
    const turn = { alone: await window() };
    const peers = spawn(process.execPath, [__filename, 'slow', address, query, count, 60], { stdio: ['ignore', 'pipe', 'inherit'] });
    const words = await new Promise((resolve) => peers.stdout.once('data', (text) => resolve(String(text).split(' '))));
    total.open = Math.max(total.open, Number(words[1]));
    await settle(pid);
    turn.beside = await window();
    turns.push(turn);
    const gone = new Promise((resolve) => peers.once('exit', resolve));
    peers.kill('SIGKILL');
    await gone;
    await settle(pid);
  }
  say({ ...total, turns: turns.length, alone: of((t) => t.alone.p99), beside: of((t) => t.beside.p99), p99: ratio('p99'), cpu: ratio('cpu') });
  process.exit(0);
}

async function connect_many(address, count, talk) {
  let open = 0;
  let refused = 0;
  for (let i = 0; i < count; i += 200) {
    await Promise.all(Array.from({ length: Math.min(200, count - i) }, (_, k) => new Promise((resolve) => {
      const socket = net.connect(split(address), () => {
        open += 1;
        if (talk) talk(socket, i + k);
        resolve();
      });
      socket.on('error', () => { refused += 1; resolve(); });
    })));
  }
  return { open, refused };
}

async function slow(address, query, count, seconds) {
  const head = 'POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
  const drips = [];
  const writers = await connect_many(address, Math.floor(count * 0.8), (socket, i) => {
    // Enough of a body for its first five seconds, so that all are let be for ten.
    socket.write(i % 2 ? head : `${head}Content-Length: 100000\r\n\r\n{${' '.repeat(6000)}`);
    drips.push(socket);
  });
  const readers = await connect_many(query, count - Math.floor(count * 0.8), (socket) => {
    socket.pause();
    socket.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(20));
  });
  say(`open ${writers.open + readers.open}`);
  // A byte each five seconds from each, and not all of them at the same moment.
  const begin = Date.now();
  for (let at = 0; Date.now() - begin < seconds * 1000;) {
    for (const due = ((Date.now() - begin) / 5000) * drips.length; at < due; at += 1) {
      const socket = drips[at % drips.length];
      if (!socket.destroyed) socket.write('x');
    }
    await sleep(10);
  }
  process.exit(0);
}

async function idle(address, count, seconds) {
  const said = await connect_many(address, count);
  say(`open ${said.open}`);
  await sleep(seconds * 1000);
  process.exit(0);
}

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
function frame(type, flags, id, body) {
  const out = Buffer.alloc(9);
  out.writeUIntBE(body.length, 0, 3);
  out[3] = type;
  out[4] = flags;
  out.writeUInt32BE(id, 5);
  return Buffer.concat([out, body]);
}
const settings = frame(4, 0, 0, Buffer.alloc(0));
const open_stream = (id) => frame(1, 4, id, Buffer.from('838684410168', 'hex'));
const many = (count, make) => Buffer.concat(Array.from({ length: count }, (_, i) => make(i)));
let next_stream = 1;
const stream = () => (next_stream += 2);
// What one round of each flood is; rounds go on until the connection is closed.
const floods = {
  'rapid reset': () => many(200, () => { const id = stream(); return Buffer.concat([open_stream(id), frame(3, 0, id, Buffer.from('00000008', 'hex'))]); }),
  continuation: (round) => Buffer.concat([round ? Buffer.alloc(0) : frame(1, 0, 1, Buffer.from('838684', 'hex')),
    many(200, () => frame(9, 0, 1, Buffer.from('000161017a', 'hex')))]),
  'empty continuation': (round) => Buffer.concat([round ? Buffer.alloc(0) : frame(1, 0, 1, Buffer.from('838684', 'hex')),
    many(200, () => frame(9, 0, 1, Buffer.alloc(0)))]),
  settings: () => many(200, () => frame(4, 0, 0, Buffer.from('000300000064', 'hex'))),
  ping: () => many(200, () => frame(6, 0, 0, Buffer.alloc(8))),
  'empty data': (round) => Buffer.concat([round ? Buffer.alloc(0) : open_stream(1), many(200, () => frame(0, 0, 1, Buffer.alloc(0)))]),
  priority: () => many(200, () => frame(2, 0, 1, Buffer.from('0000000010', 'hex'))),
  'window updates': () => many(200, () => frame(8, 0, 0, Buffer.from('00000001', 'hex'))),
  'reset by bad windows': () => many(200, () => { const id = stream(); return Buffer.concat([open_stream(id), frame(8, 0, id, Buffer.alloc(4))]); }),
};

function flood(address, make, limit_ms) {
  const begin = Date.now();
  next_stream = -1;
  return new Promise((resolve) => {
    let sent = 0;
    let round = 0;
    const socket = net.connect(split(address));
    const end = (closed) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ closed, sent_kib: Math.round(sent / 1024), ms: Date.now() - begin });
    };
    const timer = setTimeout(() => end(false), limit_ms);
    const more = () => {
      if (socket.destroyed || sent > 64 << 20) return;
      const part = make(round++);
      sent += part.length;
      socket.write(part, () => setImmediate(more));
    };
    socket.on('connect', () => { socket.write(Buffer.concat([preface, settings])); more(); });
    socket.on('data', () => {});
    for (const event of ['end', 'error', 'close']) socket.on(event, () => end(true));
  });
}

async function run_floods(address) {
  const said = {};
  for (const [name, make] of Object.entries(floods)) said[name] = await flood(address, make, 2000);
  say(said);
  process.exit(0);
}

// Names as an attacker would make them up, of each kind that becomes a node.
async function names(address, count) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
  const value = (key, stringValue) => ({ key, value: { stringValue } });
  const id = (len) => crypto.randomBytes(len).toString('hex');
  const word = () => id(5).replace(/[0-9]/g, (d) => 'ghijklmnop'[d]); // no number to be templated
  const now = String(BigInt(Date.now()) * 1000000n);
  const span = (name, kind, attributes) => ({ traceId: id(16), spanId: id(8), name, kind,
    startTimeUnixNano: now, endTimeUnixNano: now, attributes });
  const kinds = {
    services: () => [word(), [span('GET', 2, [])]],
    versions: () => ['shop', [span('GET', 2, [])], [value('service.version', word())]],
    instances: () => ['shop', [span('GET', 2, [])], [value('service.instance.id', word())]],
    scopes: () => ['shop', [span('GET', 2, [])], [], { name: word(), version: word() }],
    routes: () => ['shop', [span('GET', 2, [value('http.route', `/${word()}`), value('http.request.method', 'GET')])]],
    paths: () => ['shop', [span('GET', 2, [value('url.path', `/${word()}/${word()}`), value('http.request.method', 'GET')])]],
    span_names: () => ['shop', [span(word(), 2, [])]],
    symbols: () => ['shop', [span('work', 2, [value('code.function.name', `${word()}.${word()}`)])]],
    topics: () => ['shop', [span('send', 4, [value('messaging.system', 'kafka'), value('messaging.destination.name', word()), value('messaging.operation.type', 'send')])]],
    databases: () => ['shop', [span('SELECT', 3, [value('db.system.name', 'postgresql'), value('db.namespace', word())])]],
    peers: () => ['shop', [span('GET', 3, [value('peer.service', word())])]],
    rpc: () => ['shop', [span('call', 2, [value('rpc.system', 'grpc'), value('rpc.service', word()), value('rpc.method', word())])]],
  };
  const said = { sent: 0, failed: 0 };
  for (const make of Object.values(kinds)) {
    for (let done = 0; done < count; done += 500) {
      const resourceSpans = Array.from({ length: Math.min(500, count - done) }, () => {
        const [service, spans, more, scope] = make();
        return { resource: { attributes: [value('service.name', service), ...(more || [])] }, scopeSpans: [{ scope: scope || {}, spans }] };
      });
      const reply = await post(address, agent, Buffer.from(JSON.stringify({ resourceSpans })), 'application/json');
      if (reply.status === 200) said.sent += resourceSpans.length;
      else said.failed += 1;
    }
  }
  say(said);
  process.exit(0);
}

const resident_kib = (pid) => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);

// What is taken when senders wait as they are told, then |times| that.
async function overload(address, seconds, times, pid) {
  const SPANS = 200;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  const make = batch(SPANS);
  const said = { acked: 0, unknown: 0, refused: 0, without_retry: 0, other: 0, resident_kib: 0 };
  const note = (reply) => {
    if (reply.status === 200) said.acked += SPANS;
    else if (reply.status === 503 || reply.status === 429) {
      said.refused += 1;
      said.without_retry += !reply.retry;
    } else if (reply.status === 0) said.unknown += SPANS;
    else said.other += 1;
    said.resident_kib = Math.max(said.resident_kib, resident_kib(pid));
    return reply.status;
  };
  let begin = Date.now();
  await Promise.all(Array.from({ length: 8 }, async () => {
    while (Date.now() - begin < 2000) if (note(await post(address, agent, make())) !== 200) await sleep(20);
  }));
  said.capacity = Math.round(said.acked / ((Date.now() - begin) / 1000));
  const rate = (said.capacity * times) / SPANS;
  const under_way = [];
  const ready = Array.from({ length: 200 }, make);
  let sent = 0;
  begin = Date.now();
  while (Date.now() - begin < seconds * 1000) {
    for (const due = ((Date.now() - begin) / 1000) * rate; sent < due; sent += 1) {
      const body = ready.length ? ready.pop() : make();
      under_way.push(post(address, agent, body).then(note));
    }
    await sleep(5);
  }
  said.offered = Math.round((sent * SPANS) / ((Date.now() - begin) / 1000));
  begin = Date.now();
  await Promise.all(under_way);
  for (let row = 0; row < 10;) row = note(await post(address, agent, make())) === 200 ? row + 1 : 0;
  said.recovered_ms = Date.now() - begin;
  say(said);
  process.exit(0);
}

const [, , what, ...words] = process.argv;
const runs = {
  beside: () => beside(words[0], words[1], words[2], Number(words[3]), words[4]),
  slow: () => slow(words[0], words[1], Number(words[2]), Number(words[3])),
  idle: () => idle(words[0], Number(words[1]), Number(words[2])),
  floods: () => run_floods(words[0]),
  names: () => names(words[0], Number(words[1])),
  overload: () => overload(words[0], Number(words[1]), Number(words[2]), words[3]),
};
runs[what]();
