// Sends batches of root SERVER spans until told to stop (SIGTERM), each again
// until it is acknowledged, as an exporter does.  Then prints how many spans
// were acknowledged.
//
//   node load.js URL [BATCH] [IN_FLIGHT]
'use strict';

const crypto = require('crypto');
const http = require('http');

const url = new URL(process.argv[2]);
const size = Number(process.argv[3] || 50);
const inFlight = Number(process.argv[4] || 4);
const agent = new http.Agent({ keepAlive: true, maxSockets: inFlight });
let stopping = false;
let acked = 0;
let retries = 0;

function batch() {
  const now = BigInt(Date.now()) * 1000000n;
  const spans = [];
  for (let i = 0; i < size; i++) {
    spans.push({
      traceId: crypto.randomBytes(16).toString('hex'),
      spanId: crypto.randomBytes(8).toString('hex'),
      name: 'GET /load',
      kind: 2,
      startTimeUnixNano: String(now),
      endTimeUnixNano: String(now + 1000000n),
      attributes: [{ key: 'http.route', value: { stringValue: '/load' } },
        { key: 'http.request.method', value: { stringValue: 'GET' } }],
    });
  }
  return JSON.stringify({
    resourceSpans: [{
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'load' } }] },
      scopeSpans: [{ spans }],
    }],
  });
}

function post(body) {
  return new Promise((resolve) => {
    const req = http.request(url, {
      method: 'POST', agent, timeout: 5000, headers: { 'Content-Type': 'application/json' },
    }, (res) => {
      res.resume();
      res.on('end', () => resolve(res.statusCode === 200));
      res.on('error', () => resolve(false));
    });
    req.on('error', () => resolve(false));
    req.on('timeout', () => req.destroy());
    req.end(body);
  });
}

async function lane() {
  while (!stopping) {
    const body = batch();
    while (!(await post(body))) {
      retries += 1;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    acked += size;
  }
}

process.on('SIGTERM', () => { stopping = true; });
Promise.all(Array.from({ length: inFlight }, lane)).then(() => {
  console.log(JSON.stringify({ acked, retries }));
  process.exit(0);
});
