// What a sender without end costs a modest one on the same door, both over the same
// protocol: one small request each five milliseconds, first alone, then beside it.
//
//   node fair.js http|grpc ADDRESS BODIES CONNECTIONS AHEAD SECONDS
//       BODIES: spans, batches of 512, or empty, a MiB of empty messages by gzip
//       (http only).  AHEAD requests are under way on each of the CONNECTIONS.
//       Prints one JSON line: {sent, failed, alone, beside} (the latter {p50, p99} in
//       ms), and how many bodies were answered meanwhile {answered}.
//   node fair.js greedy ...   the sender without end; prints what was answered
'use strict';

const { spawn } = require('child_process');
const http2 = require('http2');
const net = require('net');
const zlib = require('zlib');
const { bytes } = require('./client.js');
const { batch, rank, split } = require('./sender.js');

const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const PATHS = { http: '/v1/traces', grpc: '/opentelemetry.proto.collector.trace.v1.TraceService/Export' };

// Each door: (address, extra header) => send(body), which is told when it is answered.
const doors = {
  http(address, encoding) {
    const socket = net.connect(split(address)).setNoDelay();
    const waiting = [];
    let text = '';
    socket.on('data', (data) => {
      text += data.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const length = Number((/content-length: *(\d+)/i.exec(text.slice(0, end)) || [0, 0])[1]);
        if (text.length < end + 4 + length) return;
        waiting.shift()(text.startsWith('HTTP/1.1 200'));
        text = text.slice(end + 4 + length);
      }
    });
    socket.on('error', () => {});
    socket.on('close', () => waiting.splice(0).forEach((done) => done(false)));
    return (body) => new Promise((done) => {
      waiting.push(done);
      socket.write(`POST ${PATHS.http} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n${encoding}Content-Length: ${body.length}\r\n\r\n`);
      socket.write(body);
    });
  },
  grpc(address) {
    const session = http2.connect(`http://${address}`);
    session.on('error', () => {});
    return (body) => new Promise((done) => {
      const frame = Buffer.alloc(5);
      frame.writeUInt32BE(body.length, 1);
      const stream = session.request({ ':method': 'POST', ':path': PATHS.grpc, 'content-type': 'application/grpc', te: 'trailers' });
      stream.on('trailers', (trailers) => done(trailers['grpc-status'] === '0'));
      stream.on('error', () => done(false));
      stream.on('close', () => done(false));
      stream.resume();
      stream.end(Buffer.concat([frame, body]));
    });
  },
};

function greedy(door, address, bodies, connections, ahead) {
  const empty = zlib.gzipSync(bytes(1, bytes(2, Buffer.alloc(1 << 20, '\x12\x00', 'latin1').subarray(0, (1 << 20) - 16))));
  const make = bodies === 'empty' ? () => empty : batch(512);
  let answered = 0;
  const go = async (send) => {
    for (;;) {
      if (await send(make())) answered += 1;
      else await sleep(10);
    }
  };
  for (let i = 0; i < connections; i += 1) {
    const send = doors[door](address, bodies === 'empty' ? 'Content-Encoding: gzip\r\n' : '');
    for (let j = 0; j < ahead; j += 1) go(send);
  }
  setInterval(() => console.log(String(answered)), 100);
}

async function modest(send, make, seconds, said) {
  const times = [];
  const under_way = [];
  const begin = performance.now();
  for (let due = 0; due < seconds * 1000; due += 5) {
    await sleep(Math.max(0, begin + due - performance.now()));
    under_way.push(send(make()).then((is_good) => {
      if (is_good) times.push(performance.now() - begin - due);
      else said.failed += 1;
    }));
  }
  await Promise.all(under_way);
  said.sent += under_way.length;
  times.sort((a, b) => a - b);
  return { p50: rank(times, 0.5), p99: rank(times, 0.99) };
}

async function main(door, address, bodies, connections, ahead, seconds) {
  const said = { sent: 0, failed: 0 };
  const send = doors[door](address, '');
  const make = batch(1);
  await modest(send, make, 0.2, said); // warm
  said.alone = await modest(send, make, seconds, said);
  const other = spawn(process.execPath, [__filename, 'greedy', door, address, bodies, connections, ahead], { stdio: ['ignore', 'pipe', 'inherit'] });
  said.answered = 0;
  other.stdout.on('data', (text) => { said.answered = Number(String(text).trim().split('\n').pop()); });
  while (!said.answered) await sleep(50);
  said.beside = await modest(send, make, seconds, said);
  other.kill('SIGKILL');
  console.log(JSON.stringify(said));
  process.exit(0);
}

const [, , ...words] = process.argv;
if (words[0] === 'greedy') greedy(words[1], words[2], words[3], Number(words[4]), Number(words[5]));
else main(words[0], words[1], words[2], Number(words[3]), Number(words[4]), Number(words[5]));
