// What the shop talks to and does not trace: a database and a queue, each a
// few lines over TCP.
'use strict';

const net = require('net');

// `SELECT 41` answers found or missing; everything else answers done.
function startStock() {
  const rows = new Set(['41']);
  return net.createServer({ allowHalfOpen: true }, (socket) => {
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (piece) => { text += piece; });
    socket.on('end', () => {
      const [operation, id] = text.trim().split(' ');
      if (operation === 'INSERT') rows.add(id);
      socket.end(operation === 'SELECT' ? (rows.has(id) ? 'found' : 'missing') : 'done');
    });
  });
}

function startQueue() {
  const subscribers = new Map();
  return net.createServer((socket) => {
    let rest = '';
    socket.on('error', () => {});
    socket.on('data', (piece) => {
      const lines = (rest + piece).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        const message = JSON.parse(line);
        if (message.subscribe) subscribers.set(message.subscribe, socket);
        else subscribers.get(message.publish)?.write(line + '\n');
      }
    });
  });
}

function listen(server) {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server.address().port));
  });
}

module.exports = { startStock, startQueue, listen };
