'use strict';

const { Router } = require('express');
const { reserve } = require('../lib/inventory');
const { wrap } = require('../lib/wrap');
const store = require('../lib/store');

const router = Router();

function listOrders(req, res) {
  res.json(store.all());
}

async function showOrder(req, res) {
  const order = store.find(req.params.id);
  if (!order) {
    res.status(404).end();
    return;
  }
  res.json(order);
}

class OrderController {
  async create(req, res) {
    const stock = await reserve(req.body.sku);
    res.status(201).json(store.add({ sku: req.body.sku, stock }));
  }
}

const controller = new OrderController();

router.get('/', listOrders);
router.get('/:id', wrap(showOrder));
router.post('/', wrap(controller.create));

module.exports = router;
