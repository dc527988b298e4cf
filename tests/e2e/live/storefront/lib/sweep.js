// Nothing but the route that drops the cache needs this.
'use strict';

function oldest(orders) {
  return orders.slice().sort((a, b) => a.id - b.id);
}

function sweep(store) {
  for (const order of oldest(store.all())) store.remove(order.id);
}

module.exports = { sweep };
