// Do everything wrong that a peer can, many times, on a few connections at once.
//
//     node flood.js HTTP_HOST:PORT GRPC_HOST:PORT QUERY_HOST:PORT ROUNDS
const http = require('http');
const net = require('net');

const [ingest, grpc, query, rounds] = [process.argv[2], process.argv[3], process.argv[4], Number(process.argv[5])];
const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
const json = { 'content-type': 'application/json', authorization: 'Bearer good' };

const requests = [
    [ingest, 'POST', '/v1/traces', json, '{"resourceSpans":7}'],
    [ingest, 'POST', '/v1/traces', { ...json, authorization: 'Bearer bad' }, '{}'],
    [ingest, 'POST', '/v1/traces', { ...json, 'content-type': 'text/plain' }, 'x'],
    [ingest, 'POST', '/v1/traces', { ...json, 'content-encoding': 'gzip' }, 'no gzip'],
    [ingest, 'POST', '/v1/logs', json, '{}'],
    [ingest, 'POST', '/no\u0025where%0a', json, '{}'],
    [ingest, 'DELETE', '/v1/traces', json, ''],
    [query, 'GET', '/nowhere', {}, ''],
    [query, 'GET', '/metrics', { host: 'evil.example' }, ''],
    [query, 'POST', '/mcp', { 'content-type': 'application/json' }, '{"jsonrpc":'],
    [query, 'POST', '/mcp', { 'content-type': 'application/json', origin: 'http://evil.example' }, '{}'],
    [query, 'GET', '/api/graph/data?from=soon', {}, ''],
];
const noises = [
    [ingest, 'no HTTP at all\r\n\r\n'], [ingest, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    [query, 'GET / HTTP/9.9\r\nbad header\r\n\r\n'], [grpc, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff\xff\xff\xff\xff'],
    [grpc, 'GET / HTTP/1.1\r\n\r\n'], [grpc, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
];

const ask = ([at, method, path, headers, body]) => new Promise((resolve) => {
    const [host, port] = at.split(':');
    const req = http.request({ host, port, method, path, headers, agent }, (res) => {
        res.resume();
        res.on('end', resolve);
    });
    req.on('error', resolve);
    req.end(body);
});
const shout = ([at, bytes]) => new Promise((resolve) => {
    const [host, port] = at.split(':');
    const socket = net.connect(port, host, () => socket.end(Buffer.from(bytes, 'latin1')));
    socket.setTimeout(2000, () => socket.destroy());
    socket.on('error', () => {});
    socket.on('close', resolve);
    socket.resume();
});

(async () => {
    for (let i = 0; i < rounds; i++) await Promise.all([...requests.map(ask), ...noises.map(shout)]);
    agent.destroy();
})();
