// A gRPC client by @grpc/grpc-js, for the end-to-end tests.  One JSON line says
// what a call ended with: {"code","message","retry_ms","details","body"}.
//
//   node client.js ADDRESS WHAT [ARGUMENT] [--ca F] [--cert F --key F]
//                  [--token T] [--encoding gzip] [--timeout MS]
//
// WHAT is export [SPANS], hex BYTES, zeros COUNT, health [SERVICE], path
// PATH, or loop SECONDS [CONNECTIONS]: exports one after the other, and prints
// {"sent","failed","first"}; a call whose connection is new each time.
//
// Used as a module it makes the requests.
'use strict';

const crypto = require('crypto');
const fs = require('fs');

const TRACES = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const HEALTH = '/grpc.health.v1.Health/Check';

function varint(n) {
  const out = [];
  for (let v = BigInt(n); ; v >>= 7n) {
    if (v < 128n) return Buffer.from([...out, Number(v)]);
    out.push(Number(v & 127n) | 128);
  }
}
const bytes = (field, value) => {
  const body = Buffer.isBuffer(value) ? value : Buffer.from(value);
  return Buffer.concat([varint(field * 8 + 2), varint(body.length), body]);
};
const number = (field, value) => Buffer.concat([varint(field * 8), varint(value)]);
function fixed64(field, value) {
  const body = Buffer.alloc(8);
  body.writeBigUInt64LE(BigInt(value));
  return Buffer.concat([varint(field * 8 + 1), body]);
}
const attribute = (field, key, value) =>
  bytes(field, Buffer.concat([bytes(1, key), bytes(2, bytes(1, value))]));

// An Export request of |count| root SERVER spans.
function request(count = 1) {
  const now = BigInt(Date.now()) * 1000000n;
  const spans = [];
  for (let i = 0; i < count; i++) {
    spans.push(bytes(2, Buffer.concat([
      bytes(1, crypto.randomBytes(16)), bytes(2, crypto.randomBytes(8)),
      bytes(5, 'GET /load'), number(6, 2), fixed64(7, now), fixed64(8, now + 1000000n),
      attribute(9, 'http.route', '/load'), attribute(9, 'http.request.method', 'GET')])));
  }
  return bytes(1, Buffer.concat([
    bytes(1, attribute(1, 'service.name', 'load')), bytes(2, Buffer.concat(spans))]));
}

// The fields of a message: [[field, value]...], lengths as buffers.
function fields(message) {
  const out = [];
  let at = 0;
  const next = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const key = Number(next());
    if (key % 8 === 2) {
      const len = Number(next());
      out.push([key >> 3, message.subarray(at, at + len)]);
      at += len;
    } else if (key % 8 === 1) {
      at += 8;
    } else {
      out.push([key >> 3, next()]);
    }
  }
  return out;
}

// What grpc-status-details-bin says: type names, and the delay of RetryInfo.
function explain(metadata) {
  const out = {};
  const [details] = metadata ? metadata.get('grpc-status-details-bin') : [];
  for (const [field, any] of details ? fields(details) : []) {
    if (field !== 3) continue;
    const [[, type], [, value]] = fields(any);
    const name = type.toString().split('.').pop();
    out.details = (out.details ? `${out.details} ` : '') + name;
    if (name === 'RetryInfo') {
      const delay = Object.fromEntries(fields(fields(value)[0][1]));
      out.retry_ms = Number(delay[1] || 0n) * 1000 + Number(delay[2] || 0n) / 1000000;
    }
  }
  return out;
}

function connect(address, options) {
  const grpc = require('@grpc/grpc-js');
  const read = (name) => (options[name] ? fs.readFileSync(options[name]) : null);
  const creds = options.ca ? grpc.credentials.createSsl(read('ca'), read('key'), read('cert'))
    : grpc.credentials.createInsecure();
  return new grpc.Client(address, creds, {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.max_send_message_length': -1,
    'grpc.default_compression_algorithm': options.encoding === 'gzip' ? 2 : 0,
  });
}

function call(client, path, body, options) {
  const grpc = require('@grpc/grpc-js');
  const metadata = new grpc.Metadata();
  if (options.token) metadata.set('authorization', `Bearer ${options.token}`);
  const deadline = Date.now() + Number(options.timeout || 10000);
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, (b) => b, (b) => b, body, metadata, { deadline }, (err, reply) => {
      resolve(err ? { code: grpc.status[err.code], message: err.details, ...explain(err.metadata) }
        : { code: 'OK', body: reply.toString('hex') });
    });
  });
}

async function loop(address, seconds, lanes, options) {
  const until = Date.now() + seconds * 1000;
  const said = { sent: 0, failed: 0 };
  await Promise.all(Array.from({ length: lanes }, async (_, lane) => {
    let client = connect(address, options);
    while (Date.now() < until) {
      const reply = await call(client, TRACES, request(1), options);
      said.sent += 1;
      if (reply.code !== 'OK') {
        said.failed += 1;
        said.first = said.first || reply;
      }
      if (lane % 2) { // every other lane connects anew each time
        client.close();
        client = connect(address, options);
      }
    }
    client.close();
  }));
  return said;
}

async function main(argv) {
  const words = [];
  const options = {};
  for (let i = 0; i < argv.length; i++) {
    if (argv[i].startsWith('--')) options[argv[i].slice(2)] = argv[++i];
    else words.push(argv[i]);
  }
  const [address, what, argument, more] = words;
  const makes = {
    export: () => [TRACES, request(Number(argument || 1))],
    hex: () => [TRACES, Buffer.from(argument, 'hex')],
    zeros: () => [TRACES, Buffer.alloc(Number(argument))],
    health: () => [HEALTH, argument ? bytes(1, argument) : Buffer.alloc(0)],
    path: () => [argument, Buffer.alloc(0)],
  };
  if (what === 'loop') {
    console.log(JSON.stringify(await loop(address, Number(argument), Number(more || 2), options)));
  } else {
    const client = connect(address, options);
    const [path, body] = makes[what]();
    console.log(JSON.stringify(await call(client, path, body, options)));
    client.close();
  }
}

module.exports = { request, bytes, number, fixed64, attribute };
if (require.main === module) main(process.argv.slice(2));
