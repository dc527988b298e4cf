// Sends requests over HTTP/1.1, for the tests that count and time them.
'use strict';

const crypto = require('crypto');
const http = require('http');
const { bytes, number, fixed64, attribute } = require('./client.js');

const split = (address) => {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at), port: Number(address.slice(at + 1)) };
};
const rank = (sorted, part) => (sorted.length ? Number(sorted[Math.floor((sorted.length - 1) * part)].toFixed(2)) : 0);

// A batch of |count| root SERVER spans, and where the ids are in it.
function batch(count) {
  const now = BigInt(Date.now()) * 1000000n;
  const spans = Array.from({ length: count }, () => bytes(2, Buffer.concat([
    bytes(1, Buffer.alloc(16, 0xee)), bytes(2, Buffer.alloc(8, 0xdd)), bytes(5, 'GET /load'), number(6, 2),
    fixed64(7, now), fixed64(8, now + 1000000n), attribute(9, 'http.route', '/load'),
    attribute(9, 'http.request.method', 'GET')])));
  const body = bytes(1, Buffer.concat([bytes(1, attribute(1, 'service.name', 'load')), bytes(2, Buffer.concat(spans))]));
  const places = [];
  const mark = Buffer.alloc(16, 0xee);
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + 16)) places.push(at);
  return () => {
    const copy = Buffer.from(body);
    const ids = crypto.randomBytes(24 * places.length);
    places.forEach((at, i) => {
      ids.copy(copy, at, 24 * i, 24 * i + 16);
      ids.copy(copy, at + 18, 24 * i + 16, 24 * i + 24);
    });
    return copy;
  };
}

function post(address, agent, body, type = 'application/x-protobuf') {
  const begin = process.hrtime.bigint();
  return new Promise((resolve) => {
    const req = http.request({
      ...split(address), path: '/v1/traces', method: 'POST', agent, timeout: 30000,
      headers: { 'Content-Type': type, 'Content-Length': body.length },
    }, (res) => {
      res.resume();
      res.on('end', () => resolve({ status: res.statusCode, retry: res.headers['retry-after'],
        ms: Number(process.hrtime.bigint() - begin) / 1e6 }));
    });
    req.on('error', () => resolve({ status: 0 }));
    req.on('timeout', () => req.destroy());
    req.end(body);
  });
}

module.exports = { split, rank, batch, post };
