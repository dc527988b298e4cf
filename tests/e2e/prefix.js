// Send requests one after another, each with one call of a route of its own, and
// say how many were acknowledged.
//
//     node prefix.js HOST:PORT COUNT FILE
//
// Request i, from 1, is one SERVER span of `GET /k<i>` of one of eight services.
// FILE always holds how many were acknowledged: all up to that one.
const { request, Agent } = require('http');
const { renameSync, writeFileSync } = require('fs');
const { randomBytes } = require('crypto');

const [at, count, file] = [process.argv[2], Number(process.argv[3]), process.argv[4]];
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const text = (key, stringValue) => ({ key, value: { stringValue } });

function body(i) {
    const now = BigInt(Date.now()) * 1000000n;
    return JSON.stringify({ resourceSpans: [{ resource: { attributes: [text('service.name', `s${i % 8}`)] }, scopeSpans: [{ spans: [{
        traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex'), name: 'x', kind: 2,
        startTimeUnixNano: String(now), endTimeUnixNano: String(now + 1000000n),
        attributes: [text('http.request.method', 'GET'), text('http.route', `/k${i}`)] }] }] }] });
}

function send(i) {
    return new Promise((resolve, reject) => {
        const req = request(`http://${at}/v1/traces`, { method: 'POST', agent, headers: { 'content-type': 'application/json' } }, (res) => {
            res.resume();
            res.on('end', () => (res.statusCode === 200 ? resolve() : reject(new Error(`answered ${res.statusCode}`))));
        });
        req.on('error', reject);
        req.end(body(i));
    });
}

(async () => {
    for (let i = 1; i <= count; i++) {
        await send(i);
        writeFileSync(`${file}.new`, String(i));
        renameSync(`${file}.new`, file);
    }
    agent.destroy();
})().catch((error) => {
    console.error(error.message);
    process.exit(1);
});
