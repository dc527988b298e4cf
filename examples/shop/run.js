// Runs the shop, places and reads orders, and ends.
//
//   node run.js [--rounds N] [--stay]
//
// The spans go where OTEL_EXPORTER_OTLP_ENDPOINT says, by SHOP_PROTOCOL.
'use strict';

const { fork } = require('child_process');
const http = require('http');
const path = require('path');
const { startStock, startQueue, listen } = require('./servers');

const rounds = Number(process.argv[process.argv.indexOf('--rounds') + 1] || 3) || 3;
const stay = process.argv.includes('--stay');
const children = [];

function start(service, env) {
  return new Promise((resolve, reject) => {
    const child = fork(path.join(__dirname, `${service}.js`), {
      env: { ...process.env, ...env, SHOP_SERVICE: service },
    });
    children.push(child);
    child.once('message', (message) => resolve(message.port));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${service} ended with ${code}`)));
  });
}

function stop(child) {
  return new Promise((resolve) => {
    child.once('exit', resolve);
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), 10000).unref();
  });
}

function call(port, method, path) {
  return new Promise((resolve, reject) => {
    const req = http.request({ host: '127.0.0.1', port, method, path }, (res) => {
      res.resume();
      res.on('end', () => resolve(res.statusCode));
    });
    req.on('error', reject);
    req.end();
  });
}

async function main() {
  const stock = startStock();
  const queue = startQueue();
  const env = {
    SHOP_STOCK_PORT: String(await listen(stock)),
    SHOP_QUEUE_PORT: String(await listen(queue)),
  };
  env.SHOP_ORDERS_PORT = String(await start('orders', env));
  await start('worker', env);
  const port = await start('gateway', env);
  for (let i = 0; i < rounds; i++) {
    const placed = await call(port, 'POST', '/api/orders');
    const read = await call(port, 'GET', '/api/orders/41');
    if (placed !== 201 || read !== 200) throw new Error(`answers were ${placed} and ${read}`);
  }
  console.log(`shop: ${rounds} orders placed and read`);
  if (stay) {
    console.log(`shop: gateway on http://127.0.0.1:${port}, Ctrl-C ends`);
    await new Promise((resolve) => process.once('SIGINT', resolve));
  }
  await new Promise((resolve) => setTimeout(resolve, 500)); // the worker's turn
  await Promise.all(children.map(stop));
  stock.close();
  queue.close();
  process.exit(0);
}

main().catch(async (err) => {
  console.error(`shop: ${err.message}`);
  await Promise.all(children.map(stop));
  process.exit(1);
});
