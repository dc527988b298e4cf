// A client of /sse that asks for much and reads nothing of it.
//     sse.js HOST:PORT
// Ends with 0 once the server has ended its session, or with 1.
const net = require('net');

const [host, port] = process.argv[2].split(':');
const ask = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
const socket = net.connect(Number(port), host);
let head = '';

async function flood(endpoint) {
  for (let i = 0; i < 3000; i += 1) {
    const { status } = await fetch(`http://${host}:${port}${endpoint}`, {
      method: 'POST', body: ask,
      headers: { 'content-type': 'application/json' },
    });
    if (status === 404) {
      console.log(`ended after ${i} answers`);
      process.exit(0);
    }
  }
  console.log('3000 answers were kept for nobody');
  process.exit(1);
}

socket.on('data', (bytes) => {
  head += bytes;
  const found = /\ndata: (\S+)\n\n/.exec(head);
  if (found) {
    socket.removeAllListeners('data');
    socket.pause();
    flood(found[1]);
  }
});
socket.on('error', () => {});
socket.write(`GET /sse HTTP/1.1\r\nHost: ${host}:${port}\r\n` +
  'Accept: text/event-stream\r\n\r\n');
