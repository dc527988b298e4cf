// For bench_search.sh: send spans at a rate, ask at another, print one line.
'use strict';
const fs = require('fs');
const http = require('http');
const { request, A_SERVICE } = require('./spans.js');

const [pid, otlp, mcp, file, size, spans, seconds, rate, limitMs, limitShare] =
    process.argv.slice(2).map((x) => (/^[\d.]+$/.test(x) ? Number(x) : x));
const lines = fs.readFileSync(file, 'utf8').trim().split('\n');
const readMs = Number(lines.pop());
const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });

function post(address, path, body, headers) {
    const [host, port] = [address.slice(0, address.lastIndexOf(':')),
        address.slice(address.lastIndexOf(':') + 1)];
    return new Promise((done, fail) => {
        const req = http.request({ host: host.replace(/[[\]]/g, ''), port, path, agent,
            method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
        (res) => {
            let text = '';
            res.on('data', (part) => { text += part; });
            res.on('end', () => done({ status: res.statusCode, headers: res.headers, text }));
        });
        req.on('error', fail);
        req.end(body);
    });
}

let session = {};
let last = 0;
async function call(method, params) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++last, method, params });
    const res = await post(mcp, '/mcp', body,
        { accept: 'application/json, text/event-stream', ...session });
    const text = res.text.startsWith('event:') || res.text.startsWith('data:')
        ? res.text.split('\n').filter((l) => l.startsWith('data:')).pop().slice(5) : res.text;
    return { reply: text ? JSON.parse(text) : {}, headers: res.headers };
}

const cpuMs = () => {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(stat[11]) + Number(stat[12])) * 10;
};
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function main() {
    const { headers } = await call('initialize', { protocolVersion: '2025-06-18',
        capabilities: {}, clientInfo: { name: 'bench', version: '1' } });
    session = { 'mcp-protocol-version': '2025-06-18' };
    if (headers['mcp-session-id']) session['mcp-session-id'] = headers['mcp-session-id'];
    const ask = (query) => call('tools/call', { name: 'search', arguments: { query } });
    for (let i = 0; i < 3; i++) await ask(lines[i]); // what is loaded once

    const times = [];
    const services = Math.max(1, Math.floor(size / 20 / A_SERVICE));
    let sent = 0;
    let refused = 0;
    let degraded = 0;
    let wrong = 0;
    const begin = performance.now();
    const before = cpuMs();
    const end = begin + seconds * 1000;
    const waiting = [];
    const load = (async () => {
        for (let i = 0; performance.now() < end; i++) {
            waiting.push(post(otlp, '/v1/traces', request(i % services, (i % services) * A_SERVICE,
                A_SERVICE)).then((res) => {
                if (res.status === 200) sent += A_SERVICE;
                else refused++;
            }));
            await sleep(Math.max(0, begin + (i + 1) * 1000 * A_SERVICE / spans - performance.now()));
        }
    })();
    for (let i = 0; i < seconds * rate; i++) {
        const due = begin + i * 1000 / rate;
        await sleep(Math.max(0, due - performance.now()));
        waiting.push(ask(lines[(i + 3) % lines.length]).then(({ reply }) => {
            const found = reply.result && reply.result.structuredContent;
            times.push(performance.now() - due);
            if (!found && !wrong++) console.error(JSON.stringify(reply).slice(0, 300));
            else if (found && found.filters.degraded.length) degraded++;
        }));
    }
    await load;
    await Promise.all(waiting);
    const cpu = (cpuMs() - before) / times.length;
    times.sort((a, b) => a - b);
    const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
    const rateSent = sent / ((performance.now() - begin) / 1000);
    console.log(`${size} objects, ${rateSent.toFixed(0)} spans/s (${refused} requests refused), ` +
        `${times.length} questions: P50 ${at(0.5).toFixed(0)} ms, P95 ${at(0.95).toFixed(0)} ms, ` +
        `worst ${at(1).toFixed(0)} ms; P95 is ${(at(0.95) / readMs).toFixed(2)} of reading all ` +
        `texts once (${readMs} ms); ${cpu.toFixed(0)} ms of CPU a question; ${degraded} degraded`);
    if (wrong) console.error(`${wrong} questions were not answered`);
    process.exit(wrong || (at(0.95) > limitMs && at(0.95) > limitShare * readMs) ? 1 : 0);
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
