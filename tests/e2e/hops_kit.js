// What the questions of several hops share: a generator of numbers, walks over
// what was drawn, a service that is asked, and the count of exact answers.
'use strict';
const { spawn } = require('child_process');
const crypto = require('crypto');
const readline = require('readline');

function chance(seed) {
    let state = seed >>> 0;
    return (below) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor(state / 2 ** 32 * below);
    };
}

// Distances from |start| along |arcs|, or against them.
function reach(arcs, start, isBackward, most) {
    const far = new Map([[start, 0]]);
    for (let at = [start], depth = 1; at.length && depth <= most; depth++) {
        const now = [];
        for (const [a, b] of arcs) {
            const [from, to] = isBackward ? [b, a] : [a, b];
            if (at.includes(from) && !far.has(to)) {
                far.set(to, depth);
                now.push(to);
            }
        }
        at = now;
    }
    return far;
}

const others = (far) => [...far.keys()].filter((x) => far.get(x) > 0);

const hex = (n) => crypto.randomBytes(n).toString('hex');
const attribute = (key, stringValue) => ({ key, value: { stringValue } });

// A server of tools over |data|, on standard input and output.
function peer(program, data) {
    const child = spawn(program, ['mcp', '--data', data, '--toolsets', 'all'],
        { stdio: ['pipe', 'pipe', 'ignore'] });
    const waiting = new Map();
    let last = 0;
    readline.createInterface({ input: child.stdout }).on('line', (text) => {
        const reply = JSON.parse(text);
        if (waiting.has(reply.id)) waiting.get(reply.id)(reply);
    });
    child.on('exit', () => waiting.forEach((done) => done({ error: 'it has ended' })));
    const send = (method, params) => new Promise((done) => {
        waiting.set(++last, done);
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: last, method, params })}\n`);
    });
    return {
        start: async () => {
            await send('initialize', { protocolVersion: '2025-06-18', capabilities: {},
                clientInfo: { name: 'hops', version: '1' } });
            child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
        },
        call: async (name, given) => {
            const reply = await send('tools/call', { name, arguments: given });
            return reply.result ? reply.result.structuredContent || {} : {};
        },
        stop: () => child.stdin.end(),
    };
}

const tally = new Map();
function note(kind, isExact, what) {
    const row = tally.get(kind) || { asked: 0, exact: 0 };
    row.asked++;
    row.exact += isExact ? 1 : 0;
    tally.set(kind, row);
    if (!isExact && row.asked - row.exact <= 2) console.log(`  ${kind}: ${what}`);
}

const same = (a, b) => a.length === b.length && a.every((x) => b.includes(x));

// Prints the tally; whether enough were exact, of those that were asked.
function enough(width) {
    let asked = 0;
    let exact = 0;
    for (const [kind, row] of tally) {
        console.log(kind.padEnd(width), `${row.exact}/${row.asked}`);
        asked += row.asked;
        exact += row.exact;
    }
    console.log('exact'.padEnd(width), `${exact}/${asked} ${(exact / asked).toFixed(3)}`);
    return exact / asked >= 0.95;
}

module.exports = { attribute, chance, enough, hex, note, others, peer, reach, same };
