// Questions of several hops over generated topologies.  The answers are the
// generator's own, by a walk over the calls it drew, never the store's.
//
//   hops.js SPANGRAPH WORK [TOPOLOGIES] [SERVICES]
//
// Each service has two routes; a call runs from a route to a route of another.
// Asked in plain words (graph_query) and by graph_traverse: callers, callees,
// path, blast radius, dependencies, cycles, dead routes.  Exact means the same
// set, and for paths a shortest one whose every step is a call.  Ends with 1 if
// fewer than 95 % are exact.
'use strict';
const { execFileSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const { attribute, chance, enough, hex, note, others, peer, reach, same } = require('./hops_kit');

const [program, work, topologies = '3', services = '24'] = process.argv.slice(2);
const ROUTES = 2;
const HOUR_NS = 3600n * 1000000000n;

const nameOf = (service) => `svc-${String.fromCharCode(97 + service % 26)}${service}`;
const pathOf = (route) => `/${['list', 'show'][route % ROUTES]}${Math.floor(route / ROUTES)}`;
const serviceOf = (route) => route === USER ? USER : Math.floor(route / ROUTES);
// Who calls without a span of its own; the first of each trace is called so.
const USER = -1;
const idOfRoute = (route) => route === USER ? 'external:user' : `route:${nameOf(serviceOf(route))}:GET ${pathOf(route)}`;
const idOfService = (service) => service === USER ? 'external:user'
    : `service:${nameOf(service)}`;

// ---- the topology, and what follows from it ----

function draw(seed, count) {
    const next = chance(seed);
    const calls = new Set();
    for (let i = 0; i < count * ROUTES * 1.2; i++) {
        const from = next(count * ROUTES);
        const to = next(count * ROUTES);
        if (serviceOf(from) !== serviceOf(to)) calls.add(`${from} ${to}`);
    }
    const arcs = [...calls].map((call) => call.split(' ').map(Number));
    const called = new Set(arcs.flat());
    const dead = [];
    for (let route = 0; route < count * ROUTES && dead.length < 2; route++)
        if (!called.has(route) && called.has(route ^ 1)) dead.push(route);
    const first = new Set([...arcs.map(([a]) => a), ...dead, ...dead.map((x) => x ^ 1)]);
    const all = [...arcs, ...[...first].map((route) => [USER, route])];
    return { count, arcs, all, dead };
}

function lift(topology) {
    const seen = new Set(topology.all.map(([a, b]) => `${serviceOf(a)} ${serviceOf(b)}`));
    return [...seen].map((call) => call.split(' ').map(Number));
}

// ---- spans ----

function span(service, kind, route, traceId, parent, at) {
    return { service, row: {
        traceId, spanId: hex(8), parentSpanId: parent, name: `GET ${pathOf(route)}`, kind,
        traceState: 'ot=th:0',
        startTimeUnixNano: String(at), endTimeUnixNano: String(at + 1000000n),
        attributes: [attribute('http.request.method', 'GET'),
            ...(kind === 2 ? [attribute('http.route', pathOf(route))] : [])],
    } };
}

function line(spans) {
    return JSON.stringify({ resourceSpans: spans.map(({ service, row }) => ({
        resource: { attributes: [attribute('service.name', nameOf(service))] },
        scopeSpans: [{ spans: [row] }],
    })) });
}

function traces(topology) {
    const now = BigInt(Date.now()) * 1000000n - 3600n * 1000000000n;
    const lines = [];
    for (const [from, to] of topology.arcs) {
        const traceId = hex(16);
        const server = span(serviceOf(from), 2, from, traceId, '', now);
        const client = span(serviceOf(from), 3, to, traceId, server.row.spanId, now);
        const remote = span(serviceOf(to), 2, to, traceId, client.row.spanId, now);
        lines.push(line([server, client, remote]));
    }
    // What is silent for 50 days is dead if its service was heard all the time.
    for (const route of topology.dead)
        for (let hour = 80n * 24n; hour > 0n; hour--) {
            const at = now - hour * HOUR_NS;
            const living = [route ^ 1].concat(hour > 50n * 24n ? [route] : []);
            lines.push(line(living.map((x) => span(serviceOf(x), 2, x, hex(16), '', at))));
        }
    return lines;
}

// ---- asking ----

async function askSet(server, kind, query, about, wanted) {
    const reply = await server.call('graph_query', { query, maxNodes: 100, disclosureLevel: 0 });
    const found = (reply.nodes || []).map((node) => node.id).filter((id) => id !== about);
    note(kind, same(found, wanted), `${query}: found ${found.sort().join(' ')}; ` +
        `wanted ${wanted.sort().join(' ')}`);
}

async function askPath(server, query, arcs, from, to, id) {
    const reply = await server.call('graph_query', { query, maxNodes: 100, disclosureLevel: 0 });
    const wanted = reach(arcs, from, false, 10).get(to);
    const way = (reply.nodes || []).map((node) => node.id);
    const known = new Set(arcs.map(([a, b]) => `${id(a)} ${id(b)}`));
    const steps = way.slice(1).every((x, i) => known.has(`${way[i]} ${x}`));
    note('path', wanted === undefined ? way.length === 0
        : steps && way.length === wanted + 1 && way[0] === id(from) && way[wanted] === id(to),
    `${query}: ${way.join(' -> ')}; ${wanted} steps were wanted`);
}

async function askOne(server, topology, next) {
    const arcs = lift(topology);
    const heard = [...new Set(arcs.flat())].filter((x) => x !== USER).sort((a, b) => a - b);
    const service = heard[next(heard.length)];
    const other = heard[next(heard.length)];
    const name = nameOf(service);
    const ids = (list) => list.map(idOfService);
    await askSet(server, 'callers', `who calls ${name}?`, idOfService(service),
        ids(others(reach(arcs, service, true, 1))));
    await askSet(server, 'callees', `what does ${name} call?`, idOfService(service),
        ids(others(reach(arcs, service, false, 1))));
    await askSet(server, 'blast radius', `what breaks if I change ${name}?`, idOfService(service),
        ids(others(reach(arcs, service, true, 10))));
    await askSet(server, 'dependencies', `what does ${name} depend on?`, idOfService(service),
        ids(others(reach(arcs, service, false, 10))));
    if (service !== other)
        await askPath(server, `how does ${name} reach ${nameOf(other)}?`, arcs, service, other,
            idOfService);
    const route = next(topology.count * ROUTES);
    if (topology.arcs.flat().includes(route)) {
        const id = idOfRoute(route);
        const routes = (list) => list.map(idOfRoute);
        await askSet(server, 'callers of a route', `who calls ${id}`, id,
            routes(others(reach(topology.all, route, true, 1))));
        await askSet(server, 'callees of a route', `what does ${id} call`, id,
            routes(others(reach(topology.all, route, false, 1))));
        await askSet(server, 'blast radius of a route', `blast radius of ${id}`, id,
            routes(others(reach(topology.all, route, true, 10))));
        const far = reach(topology.all, route, false, 3);
        const reply = await server.call('graph_traverse', { seedNodeId: id, direction: 'outgoing',
            maxDepth: 3, edgeTypes: ['CALLS'], disclosureLevel: 0 });
        const found = (reply.path || []).map((node) => node.id).filter((x) => x !== id);
        const hops = (reply.path || []).every((node) => node.id === id ||
            others(far).some((x) => idOfRoute(x) === node.id && far.get(x) === node.hop));
        note('graph_traverse', hops && same(found, routes(others(far))),
            `${id}: ${found.join(' ')} not ${routes(others(far)).join(' ')}`);
    }
}

async function askCycles(server, topology) {
    const arcs = topology.arcs; // calls run in a circle from route to route
    const inCycle = [];
    for (let r = 0; r < topology.count * ROUTES; r++)
        if (arcs.some(([a, b]) => b === r && reach(arcs, r, false, 99).has(a))) inCycle.push(r);
    const reply = await server.call('manage', { action: 'detect_cycles',
        data: { graph: 'runtime' } });
    const told = JSON.stringify(reply);
    const found = reply.data && reply.data.has_cycles;
    const named = (reply.data && reply.data.cycles || []).flatMap((cycle) =>
        JSON.stringify(cycle).match(/svc-[a-z]\d+/g) || []);
    note('cycles', Boolean(found) === inCycle.length > 0 &&
        named.every((name) => inCycle.some((r) => nameOf(serviceOf(r)) === name)), told.slice(0, 300));
}

async function main() {
    for (let i = 0; i < Number(topologies); i++) {
        const next = chance(7919 * (i + 1));
        const topology = draw(104729 * (i + 1), Number(services));
        const data = path.join(work, `data${i}`);
        const file = path.join(work, `spans${i}.jsonl`);
        fs.writeFileSync(file, traces(topology).join('\n') + '\n');
        execFileSync(program, ['ingest', file, '--data', data], { stdio: 'ignore' });
        const server = peer(program, data);
        await server.start();
        for (let k = 0; k < 12; k++) await askOne(server, topology, next);
        await askCycles(server, topology);
        await askSet(server, 'dead routes', 'which routes are dead?', '',
            topology.dead.map(idOfRoute));
        server.stop();
    }
    process.exit(enough(26) ? 0 : 1);
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
