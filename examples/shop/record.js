// Records what the shop sends, as OTLP JSON lines, the way the Collector's file
// exporter writes them:
//
//   node record.js trace.jsonl
'use strict';

const { spawn } = require('child_process');
const fs = require('fs');
const http = require('http');
const path = require('path');
const zlib = require('zlib');

const out = fs.createWriteStream(process.argv[2] || 'trace.jsonl');
const server = http.createServer((req, res) => {
  const pieces = [];
  req.on('data', (piece) => pieces.push(piece));
  req.on('end', () => {
    let body = Buffer.concat(pieces);
    if (req.headers['content-encoding'] === 'gzip') body = zlib.gunzipSync(body);
    out.write(clean(JSON.parse(body)) + '\n');
    res.setHeader('Content-Type', 'application/json');
    res.end('{}');
  });
});

// Nothing of the machine it was recorded on belongs into the recording.
function clean(request) {
  const drop = /^(process\.|host\.|network\.peer\.port|net\.host\.port|http\.user_agent)/;
  for (const resource of request.resourceSpans) {
    resource.resource.attributes = resource.resource.attributes.filter((a) => !drop.test(a.key));
    for (const scope of resource.scopeSpans) {
      for (const span of scope.spans) {
        span.attributes = span.attributes.filter((a) => !drop.test(a.key));
      }
    }
  }
  return JSON.stringify(request);
}

server.listen(0, '127.0.0.1', () => {
  const shop = spawn(process.execPath, [path.join(__dirname, 'run.js')], {
    stdio: 'inherit',
    env: {
      ...process.env,
      SHOP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.address().port}`,
    },
  });
  shop.on('exit', (code) => {
    server.close();
    out.end(() => process.exit(code));
  });
});
