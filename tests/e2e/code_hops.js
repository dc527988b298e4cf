// Questions of several hops over code: programs are drawn, written as Go and
// indexed; some of their functions handle routes, and some calls are sent as
// spans, alone or beside the static call.  The answers are the generator's own.
//
//   code_hops.js SPANGRAPH WORK [PROGRAMS] [FUNCTIONS]
//
// Asked in plain words (graph_query) and by graph_traverse: callers, callees,
// path, blast radius, dependencies, cycles; and of each call that is told by
// which evidence.  A route stands for the function that handles it.  Exact means
// the same set, and for paths real steps between the right ends, of code alone
// a shortest one.  Ends with 1 if fewer than 95 % are exact.
'use strict';
const { execFileSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const { attribute, chance, enough, hex, note, others, peer, reach, same } = require('./hops_kit');

const [program, work, programs = '2', functions = '40'] = process.argv.slice(2);
const USER = -1; // who calls without a span of its own
const FILE_SIZE = 8;

const nameOf = (f) => `Step${String.fromCharCode(65 + f % 26)}${f}`;
const idOf = (f) => f === USER ? 'external:user' : `func:gen://${nameOf(f)}`;
const routeOf = (f) => `/run/${nameOf(f)}`;

// ---- the program ----

// Calls mostly run forward, so that paths are long, and some run back.
function draw(seed, count, isMixed) {
    const next = chance(seed);
    const calls = new Map();
    const handlers = new Set();
    for (let f = 0; f < count && isMixed; f++) if (next(3) === 0) handlers.add(f);
    const list = [...handlers];
    for (let i = 0; i < count * 1.3; i++) {
        const from = next(count);
        const to = next(8) === 0 ? next(count) : Math.min(count - 1, from + 1 + next(8));
        if (from !== to) calls.set(`${from} ${to}`, 1);
    }
    for (let i = 0; i < list.length; i++) {
        const from = list[next(list.length)];
        const to = list[next(list.length)];
        if (from === to) continue;
        const key = `${from} ${to}`;
        calls.set(key, (calls.get(key) || 0) | 2);
    }
    // Some of what is sent is in the code, too.
    for (const [key, by] of calls) {
        const [from, to] = key.split(' ').map(Number);
        if (by === 1 && handlers.has(from) && handlers.has(to) && next(2)) calls.set(key, 3);
    }
    const arcs = [...calls].map(([key, by]) => [...key.split(' ').map(Number), by]);
    const heard = new Set(arcs.filter(([, , by]) => by & 2).map(([from]) => from));
    return { count, arcs, handlers, all: [...arcs, ...[...heard].map((f) => [USER, f, 2])] };
}

function source(topology, folder) {
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'go.mod'), 'module example.com/gen\n\ngo 1.22\n');
    for (let first = 0; first < topology.count; first += FILE_SIZE) {
        let text = 'package gen\n';
        for (let f = first; f < Math.min(first + FILE_SIZE, topology.count); f++) {
            const body = topology.arcs.filter(([a, , by]) => a === f && by & 1)
                .map(([, b]) => `\t${nameOf(b)}()\n`).join('');
            text += `\nfunc ${nameOf(f)}() {\n${body}}\n`;
        }
        fs.writeFileSync(path.join(folder, `f${first}.go`), text);
    }
}

// ---- spans ----

function span(kind, f, traceId, parentSpanId, at) {
    return {
        traceId, spanId: hex(8), parentSpanId, name: `GET ${routeOf(f)}`, kind,
        startTimeUnixNano: String(at), endTimeUnixNano: String(at + 1000000n),
        attributes: [attribute('http.request.method', 'GET'), ...(kind === 2 ? [
            attribute('http.route', routeOf(f)),
            attribute('code.function.name', `example.com/gen.${nameOf(f)}`)] : [])],
    };
}

function traces(topology) {
    const now = BigInt(Date.now()) * 1000000n - 3600n * 1000000000n;
    return topology.arcs.filter(([, , by]) => by & 2).map(([from, to]) => {
        const traceId = hex(16);
        const server = span(2, from, traceId, '', now);
        const client = span(3, to, traceId, server.spanId, now);
        const remote = span(2, to, traceId, client.spanId, now);
        return JSON.stringify({ resourceSpans: [{
            resource: { attributes: [attribute('service.name', 'gen')] },
            scopeSpans: [{ spans: [server, client, remote] }],
        }] });
    });
}

// ---- asking ----

// A route is the function that handles it.
function plain(id) {
    const name = /^route:gen:GET \/run\/(\w+)$/.exec(id);
    return name ? `func:gen://${name[1]}` : id;
}
const once = (ids) => [...new Set(ids.map(plain))];

const EVIDENCE = ['', 'static', 'observed', 'both'];
const told = { static: 0, observed: 0, both: 0 };
function noteEvidence(topology, kind, edges) {
    const by = new Map(topology.all.map(([a, b, x]) => [`${idOf(a)} ${idOf(b)}`, x]));
    for (const edge of edges || []) {
        const [from, to] = [plain(edge.source), plain(edge.target)];
        if (from === to) continue; // a route and its own function
        const wanted = EVIDENCE[by.get(`${from} ${to}`) || 0];
        told[edge.evidence]++;
        note(`evidence of ${kind}`, edge.evidence === wanted,
            `${from} -> ${to} is ${edge.evidence}, not ${wanted || 'a call'}`);
    }
}

async function askSet(server, topology, kind, query, about, wanted) {
    const reply = await server.call('graph_query', { query, maxNodes: 200, disclosureLevel: 0 });
    const found = once((reply.nodes || []).map((node) => node.id)).filter((id) => id !== about);
    note(kind, same(found, wanted), `${query}: found ${found.sort().join(' ')}; ` +
        `wanted ${wanted.sort().join(' ')}`);
    noteEvidence(topology, kind, reply.edges);
}

async function askPath(server, topology, from, to) {
    const query = `how does ${nameOf(from)} reach ${nameOf(to)}?`;
    const reply = await server.call('graph_query', { query, maxNodes: 200, disclosureLevel: 0 });
    const wanted = reach(topology.all, from, false, 10).get(to);
    const way = (reply.nodes || []).map((node) => plain(node.id))
        .filter((id, i, all) => i === 0 || id !== all[i - 1]);
    const known = new Set(topology.all.map(([a, b]) => `${idOf(a)} ${idOf(b)}`));
    const isReal = way.slice(1).every((x, i) => known.has(`${way[i]} ${x}`)) &&
        way[0] === idOf(from) && way[way.length - 1] === idOf(to);
    const isShort = topology.handlers.size > 0 || way.length === wanted + 1;
    if (wanted === undefined || topology.handlers.size === 0 || wanted < 6)
        note('path', wanted === undefined ? way.length === 0 : isReal && isShort,
            `${query}: ${way.join(' -> ')}; ${wanted} steps were wanted`);
    if (isReal) noteEvidence(topology, 'path', reply.edges);
}

async function askOne(server, topology, next) {
    const f = next(topology.count);
    const name = nameOf(f);
    const ids = (far) => others(far).map(idOf);
    const { all } = topology;
    await askSet(server, topology, 'callers', `who calls ${name}?`, idOf(f),
        ids(reach(all, f, true, 1)));
    await askSet(server, topology, 'callees', `what does ${name} call?`, idOf(f),
        ids(reach(all, f, false, 1)));
    // Words go as far as ten steps; a route on the way is one of them.
    if (reach(all, f, true, 99).size === reach(all, f, true, 5).size)
        await askSet(server, topology, 'blast radius', `what breaks if I change ${name}?`, idOf(f),
            ids(reach(all, f, true, 99)));
    if (reach(all, f, false, 99).size === reach(all, f, false, 5).size)
        await askSet(server, topology, 'dependencies', `what does ${name} depend on?`, idOf(f),
            ids(reach(all, f, false, 99)));
    const to = next(topology.count);
    if (to !== f) await askPath(server, topology, f, to);
    for (const direction of ['outgoing', 'incoming']) {
        const isBackward = direction === 'incoming';
        const reply = await server.call('graph_traverse', { seedNodeId: name, direction,
            maxDepth: 1, edgeTypes: ['CALLS'], disclosureLevel: 0 });
        const found = once((reply.path || []).map((node) => node.id)).filter((x) => x !== idOf(f));
        const wanted = ids(reach(all, f, isBackward, 1));
        note(`graph_traverse, ${direction}`, same(found, wanted),
            `${name}: ${found.join(' ')} not ${wanted.join(' ')}`);
        noteEvidence(topology, 'graph_traverse', reply.edgesTraversed);
    }
    if (topology.handlers.size === 0) {
        const far = reach(all, f, false, 3);
        const reply = await server.call('graph_traverse', { seedNodeId: name,
            direction: 'outgoing', maxDepth: 3, edgeTypes: ['CALLS'], disclosureLevel: 0 });
        const isRight = (reply.path || []).every((node) =>
            [...far].some(([x, hop]) => idOf(x) === node.id && hop === node.hop));
        note('graph_traverse, 3 hops', isRight && (reply.path || []).length === far.size,
            `${name}: ${JSON.stringify(reply.path).slice(0, 300)}`);
    }
}

async function askCycles(server, topology) {
    const arcs = topology.arcs.filter(([, , by]) => by & 1);
    const inCycle = (f) => arcs.some(([a, b]) => b === f && reach(arcs, f, false, 99).has(a));
    const some = [...Array(topology.count).keys()].filter(inCycle);
    const reply = await server.call('manage', { action: 'detect_cycles',
        data: { graph: 'static' } });
    const data = reply.data || {};
    const named = (data.cycles || []).flatMap((cycle) =>
        JSON.stringify(cycle).match(/Step[A-Z]\d+/g) || []);
    note('cycles', Boolean(data.has_cycles) === some.length > 0 &&
        named.every((name) => some.some((f) => nameOf(f) === name)) &&
        (some.length === 0 || named.length > 0), JSON.stringify(reply).slice(0, 400));
}

async function main() {
    for (let i = 0; i < 2 * Number(programs); i++) {
        const next = chance(7919 * (i + 1));
        const topology = draw(104729 * (i + 1), Number(functions), i % 2 === 1);
        const data = path.join(work, `code${i}`);
        const folder = path.join(work, `program${i}`, 'gen');
        const file = path.join(work, `calls${i}.jsonl`);
        source(topology, folder);
        execFileSync(program, ['index', folder, '--data', data], { stdio: 'ignore' });
        if (i % 2) {
            fs.writeFileSync(file, traces(topology).join('\n') + '\n');
            execFileSync(program, ['ingest', file, '--data', data], { stdio: 'ignore' });
        }
        const server = peer(program, data);
        await server.start();
        for (let k = 0; k < 15; k++) await askOne(server, topology, next);
        await askCycles(server, topology);
        server.stop();
    }
    const isEnough = enough(30);
    console.log('calls told by evidence'.padEnd(30), JSON.stringify(told));
    const isMixed = Object.values(told).every((count) => count >= 5);
    if (!isMixed) console.log('not all kinds of evidence were asked about');
    process.exit(isEnough && isMixed ? 0 : 1);
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
