// What slow peers cost the others.  Two services run alike, and thousands of
// peers are slow with one of them.  Good requests go to both, by turns of half a
// second in an order drawn by lot, so what else the machine does (these peers'
// own process and the kernel's part, too) meets both alike.
//
//   node beside.js ATTACKED QUERY QUIET COUNT RATE TURNS ATTACKED_PID QUIET_PID
//       COUNT peers on ATTACKED and QUERY, RATE good requests a second, TURNS of
//       each.  Prints one JSON line: {peers, sent, failed} (peers: the mean of how
//       many were open), p99 of each in ms {beside,alone}, their ratio and the bounds
//       that hold it 95 times in 100 {ratio,low,high}, and the ms of CPU a second
//       of each process {attacked,quiet}.
//   node beside.js slow HTTP QUERY COUNT   the peers; prints how many are open
'use strict';

const { spawn } = require('child_process');
const fs = require('fs');
const http = require('http');
const net = require('net');
const { batch, post, split, rank } = require('./sender.js');

const TURN_MS = 500;
const RESAMPLES = 1000;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// ---- the peers ----

// Four in five write a byte each five seconds, of a header or of a body; the
// fifth asks and does not read.  Who is cut off comes again at once: so many are
// there all the time, as an attacker would have it.
function slow(address, query, count) {
  const head = 'POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
  const asks = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(20);
  const writers = Math.floor(count * 0.8);
  const peers = new Array(count);
  let open = 0;
  const join = (i) => {
    const socket = net.connect(split(i < writers ? address : query));
    let is_open = false;
    peers[i] = socket;
    socket.on('connect', () => {
      is_open = true;
      open += 1;
      if (i >= writers) socket.pause().write(asks);
      else socket.write(i % 2 ? head : `${head}Content-Length: 100000\r\n\r\n{${' '.repeat(6000)}`);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      open -= is_open;
      setTimeout(join, is_open ? 0 : 100, i);
    });
  };
  // They come over ten seconds, and so are not cut off all at once.
  const begin = Date.now();
  let come = 0;
  let turn = 0;
  setInterval(() => {
    const seconds = (Date.now() - begin) / 1000;
    for (; come < Math.min(count, seconds * (count / 10)); come += 1) join(come);
    for (const due = (seconds / 5) * writers; turn < due; turn += 1) {
      const socket = peers[turn % writers];
      if (socket && socket.writable) socket.write('x');
    }
  }, 10);
  setInterval(() => console.log(String(open)), 200);
}

// ---- the good ones ----

// What all threads of process |pid| have run so far, in ms.
function cpu_ms(pid) {
  const tasks = fs.readdirSync(`/proc/${pid}/task`);
  return tasks.reduce((sum, task) => sum + Number(fs.readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'latin1').split(' ')[0]), 0) / 1e6;
}

// Half a second of requests to |side|; those under way at its end are waited for.
async function turn(side, make, rate, said) {
  const times = [];
  const under_way = [];
  const begin = performance.now();
  for (let sent = 0; performance.now() - begin < TURN_MS;) {
    for (const due = ((performance.now() - begin) / 1000) * rate; sent < due; sent += 1) {
      under_way.push(post(side.address, side.agent, make()).then((reply) => {
        if (reply.status === 200) times.push(reply.ms);
        else said.failed += 1;
      }));
    }
    await sleep(1);
  }
  await Promise.all(under_way);
  said.sent += under_way.length;
  return times;
}

const p99 = (turns) => {
  const all = Float64Array.from(turns.flat()).sort();
  return all[Math.floor((all.length - 1) * 0.99)];
};

// The ratio of p99 of all requests, and what it is of turns drawn from these, with
// repetition, again and again: requests of one turn resemble each other.
function compare(pairs) {
  const ratio = (some) => p99(some.map((pair) => pair.beside)) / p99(some.map((pair) => pair.alone));
  const drawn = Array.from({ length: RESAMPLES }, () => ratio(pairs.map(() => pairs[Math.floor(Math.random() * pairs.length)])));
  drawn.sort((a, b) => a - b);
  return { ratio: rank([ratio(pairs)], 1), low: rank(drawn, 0.025), high: rank(drawn, 0.975) };
}

async function beside(address, query, quiet, count, rate, turns, pids) {
  const agent = () => new http.Agent({ keepAlive: true, maxSockets: 16 });
  const sides = { beside: { address, agent: agent() }, alone: { address: quiet, agent: agent() } };
  const said = { sent: 0, failed: 0 };
  const make = batch(1);
  const peers = spawn(process.execPath, [__filename, 'slow', address, query, count], { stdio: ['ignore', 'pipe', 'inherit'] });
  let open = 0;
  peers.stdout.on('data', (text) => { open = Number(String(text).trim().split('\n').pop()); });
  for (let i = 0; i < 300 && open < count * 0.98; i++) await sleep(100);
  for (const side of Object.values(sides)) await turn(side, make, rate, { sent: 0, failed: 0 }); // warm
  const pairs = [];
  const begin = { at: performance.now(), cpu: pids.map(cpu_ms) };
  while (pairs.length < turns) {
    const pair = {};
    const order = Math.random() < 0.5 ? ['beside', 'alone'] : ['alone', 'beside'];
    for (const side of order) pair[side] = await turn(sides[side], make, rate, said);
    pairs.push({ ...pair, open });
  }
  const seconds = (performance.now() - begin.at) / 1000;
  const [attacked, idle] = pids.map((pid, i) => Number(((cpu_ms(pid) - begin.cpu[i]) / seconds).toFixed(1)));
  peers.kill('SIGKILL');
  const mean = Math.round(pairs.reduce((sum, pair) => sum + pair.open, 0) / pairs.length);
  console.log(JSON.stringify({ peers: mean, ...said, beside: rank([p99(pairs.map((pair) => pair.beside))], 1),
    alone: rank([p99(pairs.map((pair) => pair.alone))], 1), ...compare(pairs), attacked, quiet: idle }));
  process.exit(0);
}

const [, , ...words] = process.argv;
if (words[0] === 'slow') slow(words[1], words[2], Number(words[3]));
else beside(words[0], words[1], words[2], Number(words[3]), Number(words[4]), Number(words[5]), [words[6], words[7]]);
