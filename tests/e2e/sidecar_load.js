// Calls from `shop` to `cart`, whose halves are sent to different addresses, as
// they are when each pod has a sidecar.  Each request is sent again until it is
// acknowledged, and is written to a file, once: what a graph should hold.
// On SIGTERM what was begun is finished; then it prints how much there was.
//
//   node sidecar_load.js FILE SHOP_URL CART_URL [TRACES]
'use strict';

const crypto = require('crypto');
const fs = require('fs');
const http = require('http');

const [file, shopUrl, cartUrl] = process.argv.slice(2);
const traces = Number(process.argv[5] || 10);
const out = fs.createWriteStream(file);
const agent = new http.Agent({ keepAlive: true });
let stopping = false;
let spans = 0;
let requests = 0;
let repeated = 0;
let number = 0;

const id = (bytes) => crypto.randomBytes(bytes).toString('hex');
const text = (key, value) => ({ key, value: { stringValue: value } });
const int = (key, value) => ({ key, value: { intValue: String(value) } });

function request(service, list) {
  const resource = { attributes: [text('service.name', service), text('service.version', '1.2'), text('host.name', 'pod-' + service)] };
  spans += list.length;
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'http' }, spans: list }] }] });
}

function span(traceId, kind, name, attributes, more) {
  const now = BigInt(Date.now()) * 1000000n;
  const length = BigInt(1 + (number % 50)) * 1000000n;
  return { traceId, spanId: id(8), kind, name, startTimeUnixNano: String(now), endTimeUnixNano: String(now + length), attributes, ...more };
}

// One trace: [what shop sends, what cart sends].
function trace() {
  const traceId = id(16);
  const route = `/cart/${'abcdefgh'[number % 8]}`;
  const failed = number % 7 === 0 ? { status: { code: 2, message: 'secret text' } } : {};
  const root = span(traceId, 2, 'GET /shop', [text('http.route', '/shop'), text('http.request.method', 'GET'), text('code.function.name', 'Shop.page')]);
  const call = span(traceId, 3, `GET ${route}`, [text('http.request.method', 'GET'), text('server.address', 'cart'), text('card.number', 'secret')], { parentSpanId: root.spanId, ...failed });
  const served = span(traceId, 2, `GET ${route}`, [text('http.route', route), text('http.request.method', 'GET'), int('http.response.status_code', 200), text('code.function.name', `Cart.${route.slice(-1)}`)], { parentSpanId: call.spanId, flags: 0x300 });
  const query = span(traceId, 3, 'SELECT carts', [text('db.system.name', 'postgresql'), text('db.namespace', 'carts'), text('server.address', 'db')], { parentSpanId: served.spanId });
  const sent = span(traceId, 4, 'send orders', [text('messaging.system', 'kafka'), text('messaging.destination.name', 'orders'), text('messaging.operation.type', 'send')], { parentSpanId: root.spanId });
  const got = span(id(16), 5, 'process orders', [text('messaging.system', 'kafka'), text('messaging.destination.name', 'orders'), text('messaging.operation.type', 'process')], { links: [{ traceId, spanId: sent.spanId }] });
  number += 1;
  return [[root, call, sent], [served, query, got]];
}

function post(url, body) {
  return new Promise((resolve) => {
    const req = http.request(url, { method: 'POST', agent, timeout: 3000, headers: { 'Content-Type': 'application/json' } }, (res) => {
      res.resume();
      res.on('end', () => resolve(res.statusCode === 200));
      res.on('error', () => resolve(false));
    });
    req.on('error', () => resolve(false));
    req.on('timeout', () => req.destroy());
    req.end(body);
  });
}

async function deliver(url, body) {
  requests += 1;
  out.write(body + '\n');
  while (!(await post(url, body))) {
    repeated += 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function lane() {
  while (!stopping) {
    const halves = Array.from({ length: traces }, trace);
    await Promise.all([
      deliver(shopUrl, request('shop', halves.flatMap((half) => half[0]))),
      deliver(cartUrl, request('cart', halves.flatMap((half) => half[1]))),
    ]);
  }
}

process.on('SIGTERM', () => { stopping = true; });
Promise.all([lane(), lane()]).then(() => out.end(() => {
  console.log(JSON.stringify({ requests, spans, repeated }));
  process.exit(0);
}));
