// An OTLP/HTTP receiver that keeps what it is sent: JSON, one request a line.
//
//     node collector.js FILE [STATUS]     prints host:port
const http = require('http');
const { appendFileSync } = require('fs');
const [file, status] = [process.argv[2], Number(process.argv[3] || 200)];

const server = http.createServer((req, res) => {
    const chunks = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', () => {
        appendFileSync(file, `${JSON.stringify({ path: req.url, headers: req.headers, body: JSON.parse(Buffer.concat(chunks)) })}\n`);
        res.writeHead(status, { 'content-type': 'application/json' });
        res.end('{}');
    });
});
server.listen(0, '127.0.0.1', () => console.log(`127.0.0.1:${server.address().port}`));
