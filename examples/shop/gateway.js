// The front door: takes orders and passes them on.  GET /legacy/cart is still
// here and nobody calls it.
'use strict';

require('./telemetry');
const express = require('express');
const http = require('http');

const orders = { host: '127.0.0.1', port: Number(process.env.SHOP_ORDERS_PORT) };

function callOrders(method, path) {
  return new Promise((resolve, reject) => {
    const req = http.request({ ...orders, method, path }, (res) => {
      res.resume();
      res.on('end', () => resolve(res.statusCode));
    });
    req.on('error', reject);
    req.end();
  });
}

const app = express();
app.get('/api/orders/:id', async (req, res, next) => {
  try {
    res.status(await callOrders('GET', `/orders/${encodeURIComponent(req.params.id)}`)).end();
  } catch (err) {
    next(err);
  }
});
app.post('/api/orders', async (req, res, next) => {
  try {
    res.status(await callOrders('POST', '/orders')).end();
  } catch (err) {
    next(err);
  }
});
app.get('/legacy/cart', (req, res) => res.json({ items: [] }));

const server = app.listen(Number(process.env.SHOP_PORT || 0), '127.0.0.1', () => {
  process.send({ port: server.address().port });
});
