// A small shop to look at: writes its code into a folder and prints two months
// of its hourly traces, as JSON lines of OTLP.
//
//   node story.mjs FOLDER NOW_S
//
// GET /legacy/cart was never called; DELETE /orders/{id} not for 35 days; the
// gateway's code asks loyalty, which no trace shows; payments fail now and then.
import { mkdirSync, writeFileSync } from "node:fs";

const [folder, nowText] = process.argv.slice(2);
const now = Number(nowText);
const HOUR = 3600;
const DAYS = 60;

const code = {
  "gateway/server.js": `const express = require('express');
const axios = require('axios');
const app = express();

async function showCart(req, res) {
  await axios.get('http://orders/orders');
  res.end();
}

async function checkout(req, res) {
  await axios.post('http://orders/orders');
  await axios.post('http://payments/charge');
  await axios.get('http://loyalty/points');
  res.end();
}

function legacyCart(req, res) {
  res.end();
}

app.get('/cart', showCart);
app.post('/checkout', checkout);
app.get('/legacy/cart', legacyCart);
app.listen(80);
`,
  "orders/server.js": `const express = require('express');
const app = express();

function listOrders(req, res) {
  res.json(readOrders());
}

function createOrder(req, res) {
  writeOrder(req.body);
  res.end();
}

function dropOrder(req, res) {
  writeOrder(null);
  res.end();
}

function readOrders() {
  return [];
}

function writeOrder(order) {
  return order;
}

app.get('/orders', listOrders);
app.post('/orders', createOrder);
app.delete('/orders/:id', dropOrder);
app.listen(80);
`,
  "payments/server.js": `const express = require('express');
const app = express();

function charge(req, res) {
  res.end();
}

app.post('/charge', charge);
app.listen(80);
`,
  "loyalty/server.js": `const express = require('express');
const app = express();

function points(req, res) {
  res.end();
}

app.get('/points', points);
app.listen(80);
`,
  CODEOWNERS: "/gateway/ @acme/web\n/orders/ @acme/orders\n/payments/ @acme/money\n",
};
for (const [path, text] of Object.entries(code)) {
  mkdirSync(`${folder}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
  writeFileSync(`${folder}/${path}`, text);
}

let ids = 0;
const hex = (n, width) => n.toString(16).padStart(width, "0");
const text = (key, stringValue) => ({ key, value: { stringValue } });
const number = (key, value) => ({ key, value: { intValue: String(value) } });
const SERVER = 2, CLIENT = 3, PRODUCER = 4, CONSUMER = 5;

/** A span, and the spans of its callees under it. */
function span(all, trace, parent, at, service, kind, name, ms, attributes, failed = false) {
  ids += 1;
  const id = hex(ids, 16);
  const list = all.get(service) ?? [];
  list.push({
    traceId: trace, spanId: id, ...(parent ? { parentSpanId: parent } : {}), traceState: "ot=th:0", kind, name,
    startTimeUnixNano: `${at}000000000`, endTimeUnixNano: `${at}${String(Math.round(ms * 1e6)).padStart(9, "0")}`,
    attributes, ...(failed ? { status: { code: 2 } } : {}),
  });
  all.set(service, list);
  return id;
}
const served = (method, route, status = 200) => [text("http.request.method", method), text("http.route", route), number("http.response.status_code", status)];
const asked = (method, host) => [text("http.request.method", method), text("server.address", host)];

function hourOf(hour) {
  const all = new Map();
  const at = now - (now % HOUR) + hour * HOUR + 30 > now ? now - 60 : now - (now % HOUR) + hour * HOUR + 30;
  const trace = () => hex((ids += 1), 32);
  const swing = 1 + 0.3 * Math.sin(hour / 4);
  const call = (t, parent, from, to, method, route, ms, failed) => {
    const client = span(all, t, parent, at, from, CLIENT, method, ms * 1.1, asked(method, to), failed);
    return span(all, t, client, at, to, SERVER, `${method} ${route}`, ms, served(method, route, failed ? 500 : 200), failed);
  };
  const query = (t, parent, from, db, ms) => span(all, t, parent, at, from, CLIENT, "SELECT", ms, [text("db.system.name", "postgresql"), text("service.peer.name", db)]);

  for (let i = 0; i < 2; i++) {
    const cart = trace();
    const page = span(all, cart, "", at, "gateway", SERVER, "GET /cart", 40 * swing, served("GET", "/cart"));
    query(cart, call(cart, page, "gateway", "orders", "GET", "/orders", 18 * swing), "orders", "orders-db", 6 * swing);
  }
  const buy = trace();
  const failed = hour % 13 === 0;
  const page = span(all, buy, "", at, "gateway", SERVER, "POST /checkout", 160 * swing, served("POST", "/checkout", failed ? 502 : 200), failed);
  const order = call(buy, page, "gateway", "orders", "POST", "/orders", 45 * swing);
  query(buy, order, "orders", "orders-db", 12 * swing);
  const sent = span(all, buy, order, at, "orders", PRODUCER, "send order-placed", 2, [text("messaging.system", "kafka"), text("messaging.destination.name", "order-placed"), text("messaging.operation.type", "send")]);
  span(all, buy, sent, at, "mail", CONSUMER, "process order-placed", 9 * swing, [text("messaging.system", "kafka"), text("messaging.destination.name", "order-placed"), text("messaging.operation.type", "process")]);
  const pay = call(buy, page, "gateway", "payments", "POST", "/charge", 90 * swing, failed);
  span(all, buy, pay, at, "payments", CLIENT, "POST", 70 * swing, [...asked("POST", "api.stripe.com"), text("peer.service", "stripe")], failed);
  if (hour < -35 * 24) {
    const drop = trace();
    const root = span(all, drop, "", at, "gateway", SERVER, "GET /cart", 30, served("GET", "/cart"));
    call(drop, root, "gateway", "orders", "DELETE", "/orders/{id}", 20);
  }
  return [...all].map(([service, spans]) => ({ resource: { attributes: [text("service.name", service)] }, scopeSpans: [{ scope: { name: "story" }, spans }] }));
}

for (let hour = -DAYS * 24 + 30; hour <= 0; hour++) process.stdout.write(`${JSON.stringify({ resourceSpans: hourOf(hour) })}\n`);
