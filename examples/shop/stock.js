// A client of the stock database (servers.js), traced by hand as the database
// conventions say: a CLIENT span with db.* and server.* attributes.
'use strict';

const net = require('net');
const { trace, SpanKind, SpanStatusCode } = require('@opentelemetry/api');

const port = Number(process.env.SHOP_STOCK_PORT);
const tracer = trace.getTracer('shop-stock-client', '1.0.0');

function roundTrip(line) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.end(line + '\n'));
    let text = '';
    socket.on('data', (piece) => { text += piece; });
    socket.on('end', () => resolve(text.trim()));
    socket.on('error', reject);
  });
}

async function query(operation, table, id) {
  const span = tracer.startSpan(`${operation} ${table}`, {
    kind: SpanKind.CLIENT,
    attributes: {
      'db.system.name': 'postgresql',
      'db.namespace': 'shop',
      'db.operation.name': operation,
      'db.collection.name': table,
      'server.address': 'stock-db',
      'server.port': 5432,
    },
  });
  try {
    return (await roundTrip(`${operation} ${id}`)) === 'found';
  } catch (err) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'stock database failed' });
    throw err;
  } finally {
    span.end();
  }
}

module.exports = { query };
