// The storefront: takes orders, and asks inventory whether there is enough.
'use strict';

const express = require('express');
const orders = require('./routes/orders');
const admin = require('./routes/admin');

const app = express();
app.use(express.json());

function health(req, res) {
  res.json({ ok: true });
}

app.get('/health', health);
app.use('/api/orders', orders);
app.use('/api/admin', admin);

const server = app.listen(Number(process.env.PORT || 0), '127.0.0.1', () => {
  console.log(`listening ${server.address().port}`);
});
