'use strict';
// One question, asked at every door: prints what they do not agree on.
//
//   node same.js SPANGRAPH DATA QUERY
//
// The doors are the command line over the store, the tools over HTTP, the page's
// REST, Grafana's node graph, the service graph of /metrics and exports.

const { execFileSync } = require('child_process');

const [spangraph, data, query] = process.argv.slice(2);
const base = `http://${query}`;
const now = Math.floor(Date.now() / 1000);
let asked = 0;
let wrong = 0;

function run(words) {
    const options = { maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'ignore'] };
    try {
        return execFileSync(spangraph, words, options).toString();
    } catch (error) {
        if (!error.stdout.length) throw error; // dead-routes has findings
        return error.stdout.toString();
    }
}

const cli = (command, ...words) => JSON.parse(run([command, '--data', data, '--json', ...words]));
const text = async (path) => (await fetch(base + path)).text();
const rest = async (path) => JSON.parse(await text(path));

async function tool(name, args = {}) {
    const answer = await fetch(`${base}/mcp`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-11-25' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    });
    const { result } = await answer.json();
    if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
    return result.structuredContent;
}

// Each is a list of rows, or a value; the first door says what is right.
function agree(question, doors) {
    const [[first, right], ...others] = Object.entries(doors);
    const sorted = (rows) => (Array.isArray(rows) ? rows.map((row) => JSON.stringify(row)).sort() : [JSON.stringify(rows)]);
    const wanted = sorted(right);

    for (const [door, rows] of others) {
        const got = sorted(rows);
        const missing = wanted.filter((row) => !got.includes(row));
        const extra = got.filter((row) => !wanted.includes(row));

        asked += 1;
        if (got.length === wanted.length && !missing.length && !extra.length) continue;
        wrong += 1;
        console.log(`${question}: ${first} has ${wanted.length} rows, ${door} ${got.length}`);
        missing.forEach((row) => console.log(`  ${first} only: ${row}`));
        extra.forEach((row) => console.log(`  ${door} only: ${row}`));
    }
}

const nameOf = (service, name, kind) => (['route', 'rpc', 'consumer', 'symbol'].includes(kind) ? `${service} ${name}` : name);
const named = (row, end) => nameOf(row[`${end}_service`], row[end], row[`${end}_kind`]);

async function edges(level, hours) {
    const since = hours ? ['--since', `${hours}h`] : [];
    const span = hours ? { since: `${hours}h` } : {};
    const { edges: rows } = cli('edges', '--level', level, ...since);
    const map = await tool('service_map', { level, limit: 500, response_format: 'detailed', ...span });
    const at = Object.fromEntries(map.columns.map((column, i) => [column, i]));
    const view = await rest(`/api/v1/graph?level=${level}&limit=500${hours ? `&from=${now - hours * 3600}` : ''}`);
    const node = Object.fromEntries(view.nodes.map((one) => [one.id, nameOf(one.service, one.name, one.kind)]));
    const of = ['count', 'errors', 'first_observed', 'last_observed', 'p50_ms', 'p95_ms', 'p99_ms'];

    agree(`edges of ${level}s, ${hours || 'all'} h`, {
        'the command line': rows.map((row) => [named(row, 'source'), named(row, 'target'), row.kind, ...of.map((key) => row[key])]),
        service_map: map.rows.map((row) => ['source', 'target', 'kind', ...of].map((key) => row[at[key]])),
        'the page': view.edges.map((row) => [node[row.source], node[row.target], row.kind, row.count, row.errors, row.first, row.last, row.p50_ms, row.p95_ms, row.p99_ms]),
    });
    agree(`confidence and weight of ${level}s, ${hours || 'all'} h`, {
        'the command line': rows.map((row) => [named(row, 'source'), named(row, 'target'), row.kind, row.weighted, row.confidence]),
        service_map: map.rows.map((row) => ['source', 'target', 'kind', 'weighted', 'confidence'].map((key) => row[at[key]])),
    });
    return rows;
}

// runtime_traffic and who_calls tell of one service what the map tells of all.
async function ofService(service, rows) {
    const short = (row) => [named(row, 'source'), named(row, 'target'), row.kind, row.count, row.errors, row.p95_ms, row.last_observed];
    const traffic = await tool('runtime_traffic', { service_name: service, limit: 500 });
    const called = await tool('who_calls', { service, limit: 500 });

    agree(`edges of ${service}`, {
        'the command line': rows.filter((row) => row.source_service === service || row.target_service === service).map(short),
        runtime_traffic: traffic.edges.map((row) => short({ ...row, kind: row.EdgeType, count: row.ObservationCount, last_observed: row.LastObserved })),
    });
    const calls = rows.filter((row) => row.target_service === service);
    agree(`callers of ${service}`, {
        'the command line': calls.map(short),
        who_calls: called.callers.map((row) => [row.caller, row.target, row.kind, row.count, row.errors, row.p95_ms, row.last_observed]),
    });
    // A message comes from its producer, where that is known: not from the topic, too.
    const fromProducer = new Set(calls.filter((row) => row.kind === 'msg').map((row) => row.target));
    const counted = calls.filter((row) => row.kind !== 'msg_sub' || !fromProducer.has(row.target));
    const { nodes } = await rest('/api/v1/graph?level=service&limit=500');
    agree(`calls of ${service}`, {
        'the command line': counted.reduce((sum, row) => sum + row.count, 0),
        who_calls: Number(called.summary.match(/(\d+) calls?\b/)[1]),
        runtime_traffic: Number(traffic.summary.match(/(\d+) calls? in\b/)[1]),
        'the page': nodes.find((one) => one.kind === 'service' && one.name === service).in,
    });
}

async function otherShapes(services) {
    const counted = (row) => [row.source, row.target, row.count, row.errors];
    const graph = await rest('/api/graph/data');
    const title = Object.fromEntries(graph.nodes.map((one) => [one.id, one.title]));
    const drawn = JSON.parse(run(['export', '--data', data, '--format', 'json']));
    const [heads, ...csv] = run(['export', '--data', data, '--format', 'csv']).trim().split('\r\n').map((line) => line.split(','));
    const at = (cells, head) => cells[heads.indexOf(head)];
    const { data: calls } = await rest(`/api/dependencies?endTs=${now + 60}000&lookback=${60 * 86400}000`);
    const series = {};

    for (const line of (await text('/metrics')).split('\n')) {
        const match = line.match(/^traces_service_graph_request(_failed)?_total\{client="([^"]*)",server="([^"]*)".*\} (\d+)$/);
        if (!match) continue;
        const pair = `${match[2]}|${match[3]}`;
        series[pair] = series[pair] || [0, 0];
        series[pair][match[1] ? 1 : 0] += Number(match[4]);
    }
    const pairs = services.filter((row) => !['msg_pub', 'msg_sub'].includes(row.kind));
    agree('calls between services', {
        'the command line': pairs.map(counted),
        '/metrics': Object.entries(series).map(([pair, [count, failed]]) => [...pair.split('|'), count, failed]),
    });
    agree('edges to draw', {
        'the command line': services.map((row) => [row.source, row.target, row.count]),
        "Grafana's node graph": graph.edges.map((row) => [title[row.source], title[row.target], Number(row.mainStat)]),
        'export of JSON': drawn.edges.map((row) => [drawn.nodes[row.source].name, drawn.nodes[row.target].name, row.count]),
        'export of CSV': csv.map((cells) => [at(cells, 'source'), at(cells, 'target'), Number(at(cells, 'count'))]),
    });
    agree('dependencies', {
        'the command line': services.filter((row) => ['call', 'msg'].includes(row.kind)).map((row) => [row.source, row.target, row.count]),
        "Jaeger's": calls.map((row) => [row.parent, row.child, row.callCount]),
    });
}

async function dead() {
    const local = cli('dead-routes');
    const remote = JSON.parse(run(['dead-routes', '--server', base, '--json']));
    const told = await tool('dead_routes', { verdict: 'all', limit: 500 });
    const page = await rest('/api/v1/dead');
    const of = ['verdict', 'confidence', 'reasons', 'count', 'first_observed', 'last_observed', 'coverage', 'keep_probability', 'hidden_calls_per_day'];
    // Of a route without code, too.
    const place = (one) => ['handler', 'file', 'line', 'owners'].map((key) => (key in one ? one[key] : `no ${key}`));
    const row = (one) => [one.service, one.env, one.method, one.route, ...of.map((key) => one[key] ?? null), ...place(one)];
    const some = (counts) => Object.entries(counts).filter(([, count]) => count);

    agree('routes and their verdicts', {
        'the command line': local.routes.map(row),
        'a service that is asked': remote.routes.map(row),
        dead_routes: told.routes.map((one) => row({ ...one, service: one.ServiceName, route: one.RoutePattern })),
        'the page': page.routes.map((one) => row({ ...one, first_observed: one.first, last_observed: one.last, keep_probability: one.keep, hidden_calls_per_day: one.hidden_per_day })),
    });
    agree('verdicts', {
        'the command line': some(local.by_verdict),
        'a service that is asked': some(remote.by_verdict),
        dead_routes: some(told.by_verdict),
        'the page': some(page.by_verdict),
    });
}

async function stats() {
    const local = cli('stats');
    const told = await tool('trace_stats');
    const health = await rest('/api/v1/health');
    const ends = (one) => [one.first_observed, one.last_observed];

    agree('edges by age', {
        'the command line': local.edges,
        trace_stats: { total: told.TotalEdges, active: told.ActiveEdges, recent: told.RecentEdges, stale: told.StaleEdges, gc_eligible: told.GCEligible },
    });
    agree('what was taken in', { 'the command line': local.counters, trace_stats: told.counters });
    agree('first and last', { 'the command line': ends(local), trace_stats: ends(told), 'the page': [health.first_span, health.last_span] });
    agree('services', { 'the command line': local.services, trace_stats: told.services, 'the page': health.total });
    agree('spans', { 'the command line': local.counters.spans, 'the page': health.services.reduce((sum, one) => sum + one.spans, 0) });
}

async function main() {
    const services = await edges('service', 0);
    const endpoints = await edges('endpoint', 0);

    await edges('service', 2);
    await edges('endpoint', 2);
    for (const { name } of (await rest('/api/v1/health')).services) await ofService(name, endpoints);
    await otherShapes(services);
    await dead();
    await stats();
    console.log(`${asked} answers compared, ${wrong} differ`);
    return wrong ? 1 : 0;
}

main().then((code) => process.exit(code), (error) => { console.log(error.stack); process.exit(2); });
