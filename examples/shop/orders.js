// Keeps orders in the stock database and announces new ones on a queue.
'use strict';

require('./telemetry');
const express = require('express');
const stock = require('./stock');
const queue = require('./queue');

const app = express();
app.get('/orders/:id', async (req, res, next) => {
  try {
    const order = await stock.query('SELECT', 'orders', req.params.id);
    res.status(order ? 200 : 404).end();
  } catch (err) {
    next(err);
  }
});
let last = 41;
app.post('/orders', async (req, res, next) => {
  try {
    last += 1;
    await stock.query('INSERT', 'orders', String(last));
    await queue.publish('order-placed', { id: last });
    res.status(201).end();
  } catch (err) {
    next(err);
  }
});
app.delete('/orders/:id', (req, res) => res.status(204).end());

const server = app.listen(0, '127.0.0.1', () => {
  process.send({ port: server.address().port });
});
