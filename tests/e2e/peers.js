// Clients that are slow, broken or hostile, each on a raw connection.
//
//   node peers.js HTTP QUERY GRPC     each HOST:PORT
//
// Prints a line a check, as the scripts do.
'use strict';

const net = require('net');
const zlib = require('zlib');
const { request } = require('./client.js');

const [, , http, query, grpc] = process.argv;
let failed = 0;

function check(name, good, said) {
  if (!good) failed += 1;
  console.log(good ? `ok ${name}` : `not ok ${name}: ${JSON.stringify(said).slice(0, 300)}`);
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Connects, lets |talk| write, and resolves with all that came until the other
// side closed or |limit| ms went by: {text, bytes, ms, closed}.
function peer(address, talk, limit = 5000) {
  const at = address.lastIndexOf(':');
  const begin = Date.now();
  return new Promise((resolve) => {
    const chunks = [];
    const socket = net.connect({ host: address.slice(0, at), port: Number(address.slice(at + 1)), allowHalfOpen: true });
    const end = (closed) => {
      const bytes = Buffer.concat(chunks);
      clearTimeout(timer);
      socket.destroy();
      resolve({ text: bytes.toString('latin1'), bytes, ms: Date.now() - begin, closed });
    };
    const timer = setTimeout(() => end(false), limit);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => end(true));
    socket.on('error', () => end(true));
    socket.on('connect', () => talk(socket));
  });
}

const head = (lines, path = '/v1/traces') =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${lines}\r\n`;
const good = `${head('Content-Length: 2\r\n')}{}`;
const statuses = (text) => (text.match(/HTTP\/1\.1 (\d+)/g) || []).map((s) => s.slice(9)).join(' ');

// Bytes that end no request, or two readings of them do: refused, and what
// hides behind them is not taken for a request.
const hidden = 'GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n';
const smuggles = {
  'both lengths': head('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n') + '0\r\n\r\n',
  'both, the other way': head('Transfer-Encoding: chunked\r\nContent-Length: 4\r\n') + '0\r\n\r\n',
  'two lengths': head('Content-Length: 2\r\nContent-Length: 20\r\n') + '{}',
  'a list of lengths': head('Content-Length: 2, 20\r\n') + '{}',
  'a signed length': head('Content-Length: +2\r\n') + '{}',
  'a length in hex': head('Content-Length: 0x2\r\n') + '{}',
  'a length too long': head('Content-Length: 99999999999999999999999\r\n') + '{}',
  'an unknown coding': head('Transfer-Encoding: xchunked\r\n') + '{}',
  'chunked not last': head('Transfer-Encoding: chunked, gzip\r\n') + '0\r\n\r\n',
  'a space before the colon': head('Content-Length : 2\r\n') + '{}',
  'a chunk size too long': head('Transfer-Encoding: chunked\r\n') + 'fffffffffffffffff\r\n{}\r\n0\r\n\r\n',
  'a negative chunk': head('Transfer-Encoding: chunked\r\n') + '-2\r\n{}\r\n0\r\n\r\n',
  'a NUL in a name': head('X-\0: y\r\nContent-Length: 2\r\n') + '{}',
  'a NUL in a value': head('X-A: y\0z\r\nContent-Length: 2\r\n') + '{}',
  'no such method': 'FROB / HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'no such version': 'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n',
};

async function smuggle() {
  for (const [name, bytes] of Object.entries(smuggles)) {
    const said = await peer(http, (s) => s.write(Buffer.from(bytes + hidden, 'latin1')), 2000);
    const got = statuses(said.text);
    check(`${name}: refused, and nothing after it`, /^(400|405|413|501|505)$/.test(got) && said.closed, [got, said]);
  }
}

async function orderly() {
  const many = await peer(http, (s) => s.end(good.repeat(50)));
  check('50 requests in one write get 50 answers', statuses(many.text) === Array(50).fill('200').join(' '), statuses(many.text));
  const chunked = `${head('Transfer-Encoding: chunked\r\n')}1\r\n{\r\n1;x=y\r\n}\r\n0\r\nTrailer: x\r\n\r\n`;
  const both = await peer(http, (s) => s.end(chunked + good));
  check('chunks, then another', statuses(both.text) === '200 200', both);
  const expects = await peer(http, async (s) => {
    s.write(head('Expect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n'));
    await sleep(300);
    s.write('{}');
  });
  check('Expect: 100-continue', statuses(expects.text) === '100 200', expects);
  const late = await peer(http, (s) => s.write(head('Expect: 100-continue\r\nContent-Length: 99999999999\r\n')), 2000);
  check('a body too large is refused before it is sent', statuses(late.text) === '413', late);
  const many_headers = await peer(http, (s) => s.write(head('X: y\r\n'.repeat(10000))), 3000);
  check('10,000 headers', statuses(many_headers.text) === '431', many_headers);
  const long = await peer(http, (s) => s.write(`GET /${'x'.repeat(100000)} HTTP/1.1\r\n`), 3000);
  check('a path without end', /^(414|431)$/.test(statuses(long.text)), long);
  await peer(http, (s) => {
    s.write(head('Content-Length: 100\r\n') + '{"resourceSpans":[');
    s.destroy();
  }, 500);
}

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const frame = (type, flags, id, body) => {
  const out = Buffer.alloc(9);
  out.writeUIntBE(body.length, 0, 3);
  out[3] = type;
  out[4] = flags;
  out.writeUInt32BE(id, 5);
  return Buffer.concat([out, body]);
};
const settings = frame(4, 0, 0, Buffer.alloc(0));
const garbage = {
  'no frames': Buffer.alloc(3000, 0xa5),
  'a frame too large': frame(0, 0, 1, Buffer.alloc(20000)),
  'headers that do not decode': Buffer.concat([settings, frame(1, 4, 1, Buffer.alloc(50, 0xff))]),
  'data on no stream': Buffer.concat([settings, frame(0, 0, 1, Buffer.from('x'))]),
  'data on stream 0': Buffer.concat([settings, frame(0, 0, 0, Buffer.from('x'))]),
  'a window of nothing': Buffer.concat([settings, frame(8, 0, 0, Buffer.alloc(4))]),
  'a setting out of range': frame(4, 0, 0, Buffer.from('000500000001', 'hex')),
  '10,000 pings': Buffer.concat([settings, ...Array(10000).fill(frame(6, 0, 0, Buffer.alloc(8)))]),
  '10,000 settings': Buffer.concat(Array(10000).fill(frame(4, 0, 0, Buffer.from('000300000064', 'hex')))),
  '10,000 resets': Buffer.concat([settings, ...Array.from({ length: 10000 }, (_, i) => Buffer.concat([
    frame(1, 4, 2 * i + 1, Buffer.from('838684', 'hex')), frame(3, 0, 2 * i + 1, Buffer.from('00000008', 'hex'))]))]),
};

async function broken() {
  for (const [name, bytes] of Object.entries(garbage)) {
    const said = await peer(http, (s) => s.write(Buffer.concat([preface, bytes])), 4000);
    check(`HTTP/2, ${name}: the connection is ended`, said.closed, [said.ms, said.bytes.toString('hex').slice(0, 60)]);
  }
}

async function slow() {
  const drip = (text, ms) => async (s) => {
    for (const c of text) {
      if (s.destroyed) return;
      s.write(c);
      await sleep(ms);
    }
  };
  const [stuck, dripping, body, silent, reader] = await Promise.all([
    peer(http, (s) => s.write('POST /v1/traces HTTP/1.1\r\nHost:'), 20000),
    peer(http, drip(good, 500), 20000),
    peer(http, (s) => { s.write(head('Content-Length: 100000\r\n')); drip('{'.repeat(100), 500)(s); }, 25000),
    peer(http, () => {}, 20000),
    peer(query, (s) => {
      s.pause(); // asks, and takes no answer
      s.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(3000));
      setTimeout(() => s.resume(), 36000);
    }, 45000),
  ]);
  check('a header that stops is answered 408', statuses(stuck.text) === '408' && stuck.closed && stuck.ms < 13000, stuck);
  check('a header that drips, too', statuses(dripping.text) === '408' && dripping.closed && dripping.ms < 13000, dripping);
  check('a body that drips ends', body.closed && body.ms < 20000, body);
  check('and is answered 408', statuses(body.text) === '408', body);
  check('one that says nothing is let go', silent.closed && silent.ms < 13000, silent);
  check('one that does not read is let go', reader.closed && reader.text.length < 10000000, [reader.ms, reader.text.length]);
}

async function packed() {
  const one = request(3);
  const post = (encoding, body) => peer(http, (s) => s.write(Buffer.concat([Buffer.from(
    `POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\nContent-Encoding: ${encoding}\r\n` +
    `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n`), body])));
  const members = Buffer.concat([zlib.gzipSync(one), zlib.gzipSync(request(4))]);
  check('gzip members one after the other', statuses((await post('gzip', members)).text) === '200', members);
  const tail = Buffer.concat([zlib.gzipSync(one), Buffer.from('tail')]);
  check('gzip with something after it', statuses((await post('gzip', tail)).text) === '400', tail);
  const cut = zlib.gzipSync(one).subarray(0, 40);
  check('gzip cut short', statuses((await post('gzip', cut)).text) === '400', cut);
  const bombs = Buffer.concat(Array(2000).fill(zlib.gzipSync(Buffer.alloc(65536))));
  check('a bomb of many members', statuses((await post('gzip', bombs)).text) === '413', bombs.length);
}

(async () => {
  const slowness = slow();
  await Promise.all(Object.values(garbage).map((bytes) =>
    peer(grpc, (s) => s.write(Buffer.concat([preface, bytes])), 3000)));
  await orderly();
  await smuggle();
  await broken();
  await packed();
  await slowness;
  process.exit(failed ? 1 : 0);
})();
