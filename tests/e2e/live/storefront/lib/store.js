'use strict';

const orders = new Map();

function all() {
  return [...orders.values()];
}

function find(id) {
  return orders.get(Number(id));
}

function add(order) {
  const row = { id: orders.size + 1, ...order };
  orders.set(row.id, row);
  return row;
}

function remove(id) {
  orders.delete(id);
}

module.exports = { all, find, add, remove };
