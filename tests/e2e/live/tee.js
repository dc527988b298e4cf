// Hands OTLP/HTTP on to the service, and keeps what the service took.
//
//   node tee.js TARGET FILE
//
// Several exports one after the other are one export.
'use strict';

const fs = require('fs');
const http = require('http');

const [target, file] = process.argv.slice(2);

const server = http.createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const body = Buffer.concat(parts);
    const onward = http.request(target + request.url, {
      method: 'POST',
      headers: { 'content-type': request.headers['content-type'] },
    }, (answer) => {
      if (answer.statusCode === 200) fs.appendFileSync(file, body);
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.writeHead(502).end());
    onward.end(body);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`listening ${server.address().port}`));
