'use strict';

const express = require('express');
const store = require('../lib/store');
const { sweep } = require('../lib/sweep');

const router = express.Router();

function showCounts(req, res) {
  res.json({ orders: store.all().length });
}

function dropCache(req, res) {
  sweep(store);
  res.status(204).end();
}

router.get('/counts', showCounts);
router.delete('/cache', dropCache);

module.exports = router;
