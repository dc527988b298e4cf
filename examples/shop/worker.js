// Takes placed orders from the queue and packs them.
'use strict';

require('./telemetry');
const stock = require('./stock');
const queue = require('./queue');

queue.consume('order-placed', async (message) => {
  await stock.query('UPDATE', 'orders', String(message.id));
}).then(() => process.send({ port: 0 }));
