// The product as official clients see it, on the recorded shop: every tool,
// resource, prompt and completion, over HTTP and stdio, in both protocols.
//     product.mjs URL SPANGRAPH DATA EMPTY-DATA
import { execFileSync } from 'node:child_process';
import Ajv2020 from 'ajv/dist/2020.js';

import { check, done, equal, limit, truthy } from './check.mjs';
import { clients, tourAll } from './clients.mjs';

const [url, spangraph, data, empty] = process.argv.slice(2);
const EDGE = ['EdgeHash', 'SourceHash', 'TargetHash', 'EdgeType', 'Confidence',
  'Provenance', 'CallSiteLine', 'CallSiteCol', 'CallSiteFile',
  'ObservationCount', 'LastObserved'];
const ROUTE = ['ServiceName', 'RoutePattern', 'MappingType', 'NodeHash',
  'CreatedAt'];
const STATS = ['TotalEdges', 'ActiveEdges', 'StaleEdges', 'GCEligible',
  'ByEdgeType'];
const NODE = ['NodeHash', 'FileHash', 'QualifiedName', 'Kind', 'Line',
  'Signature'];
const HINTS = { readOnlyHint: true, destructiveHint: false,
  idempotentHint: true, openWorldHint: false };
const HASH = /^[0-9a-f]{64}$/;
const CAP = 32000;

limit(50);

const has = (object, names) => {
  for (const name of names)
    truthy(name in object, `has ${name}`);
};
const said = (list, part) =>
  truthy(list.some((line) => line.includes(part)),
    `"${part}" in ${JSON.stringify(list)}`);

// What each tool is asked, and what it must answer.
const questions = [
  ['runtime_traffic', { service_name: 'orders' }, (got) => {
    equal(got.total, 6);
    has(got.edges[0], EDGE);
    truthy(HASH.test(got.edges[0].EdgeHash), 'EdgeHash');
    const calls = got.edges.filter((edge) => edge.source_service === 'gateway');
    equal(calls.map((edge) => edge.ObservationCount), [3, 3]);
    equal(calls.map((edge) => edge.target).sort(),
      ['GET /orders/{}', 'POST /orders']);
    equal(got.edges[0].Provenance, 'otel_trace');
    truthy(got.summary.includes('6 calls in'), got.summary);
  }],
  ['runtime_traffic', { service_name: 'orders', route_pattern: '/orders/%',
    response_format: 'concise' }, (got) => {
    equal(got.total, 1);
    equal(got.edges[0].EdgeHash, undefined);
    equal(got.edges[0].source, 'GET /api/orders/{}');
  }],
  ['dead_routes', { stale_days: 30 }, (got) => {
    equal(got.total, 0);
    equal(got.by_verdict, { insufficient_window: 1, active: 4 });
    const [line] = got.not_judged;
    equal(line.service, 'gateway');
    equal(line.names, ['GET /legacy/cart']);
    truthy(line.reasons.includes('observed_too_short'), 'reasons');
    truthy(got.summary.includes('1 could not be judged'), got.summary);
    said(got.hints, 'verdict=insufficient_window');
  }],
  ['dead_routes', { verdict: 'insufficient_window' }, (got) => {
    equal(got.total, 1);
    has(got.routes[0], ROUTE);
    equal(got.routes[0].RoutePattern, '/legacy/cart');
    equal(got.routes[0].MappingType, 'http_route');
    truthy(HASH.test(got.routes[0].NodeHash), 'NodeHash');
  }],
  ['dead_routes', { verdict: 'all', service: 'gateway' }, (got) =>
    equal(got.total, 3)],
  ['trace_stats', {}, (got) => {
    has(got, STATS);
    equal(got.TotalEdges, 10);
    equal(got.services, 3);
    equal(got.counters.spans, 69);
    equal(got.ByEdgeType.call, 2);
  }],
  ['trace_stats', { service: 'orders' }, (got) => {
    equal(got.TotalEdges, 6);
    truthy(!got.hints.some((hint) => hint.startsWith('no traffic')), 'hints');
  }],
  ['service_map', {}, (got) => {
    equal(got.columns.slice(0, 4), ['source', 'target', 'kind', 'count']);
    const row = got.rows.find(([s, t]) => s === 'gateway' && t === 'orders');
    equal(row.slice(2, 4), ['call', 6]);
    equal(got.total, 7);
  }],
  ['service_map', { level: 'endpoint', response_format: 'detailed' }, (got) => {
    truthy(got.nodes.length > 0, 'nodes');
    truthy(got.columns.includes('p99_ms'), 'columns');
    truthy(got.rows.some((row) => row[0] === 'gateway GET /api/orders/{}' &&
      row[1] === 'orders GET /orders/{}' && row[3] === 3), 'row');
  }],
  ['service_map', { since: '1s', kind: 'msg' }, (got) => {
    equal(got.total, 0);
    truthy(got.hints.length > 0, 'an empty answer says why');
  }],
  ['who_calls', { service: 'orders' }, (got) => {
    equal(got.callers.map((row) => [row.caller, row.count]), [
      ['gateway GET /api/orders/{}', 3], ['gateway POST /api/orders', 3]]);
    equal(got.callers[0].caller_versions, ['1.2.0']);
  }],
  ['who_calls', { service: 'orders', level: 'service' }, (got) =>
    equal(got.callers.map((row) => [row.caller, row.count]),
      [['gateway', 6]])],
  ['who_calls', { service: 'orders', route: '/orders/{}' }, (got) =>
    equal(got.total, 1)],
  ['who_calls', { service: 'stock-db:5432', level: 'service' }, (got) =>
    equal(got.callers.map((row) => [row.caller, row.count]),
      [['orders', 6], ['worker', 3]])],
  ['who_calls', { service: 'gateway', route: '/legacy/cart' }, (got) => {
    equal(got.total, 0);
    said(got.hints, 'no traffic: gateway');
  }],
  ['explain', { service: 'orders' }, (got) => {
    equal(got.total, 6);
    truthy(got.reasons.some((row) => row.reason === 'spans'), 'reasons');
    truthy(got.summary.includes('no span was lost'), got.summary);
  }],
  ['explain', { service: 'gateway', peer: 'orders' }, (got) =>
    equal(got.edges.map((edge) => edge.count), [3, 3])],
  ['graph_query', { prefix: 'GET /' }, (got) => {
    equal(got.total, 3);
    has(got.nodes[0], NODE);
    truthy(HASH.test(got.nodes[0].NodeHash), 'NodeHash');
    equal(got.nodes.map((node) => node.QualifiedName), [
      'gateway GET /api/orders/{}', 'gateway GET /legacy/cart',
      'orders GET /orders/{}']);
  }],
  ['graph_query', { prefix: 'zzz' }, (got) => {
    equal(got.total, 0);
    truthy(got.hints.length > 0, 'an empty answer says why');
  }],
  ['graph_node', { nodeId: 'service:orders' }, (got) => {
    equal(got.node.callers.top.map((row) => [row.name, row.count]),
      [['gateway', 6]]);
    equal(got.node.callees.edges, 3);
    equal(got.node.callees.count, 9);
  }],
];

// What is wrong, and what the answer must tell.
const mistakes = [
  ['who_calls', { service: 'ordes' }, ['closest: orders',
    'Try who_calls{"service":"orders"}']],
  ['runtime_traffic', { service_name: 'ordes' },
    ['Try runtime_traffic{"service_name":"orders"}']],
  ['dead_routes', { service: 'gatway' },
    ['Try dead_routes{"service":"gateway"}']],
  ['explain', { service: 'orders', peer: 'worke' }, ['closest: worker',
    'Try explain{"service":"orders","peer":"worker"}']],
  ['graph_node', { nodeId: 'service:ordrs' }, ['closest: "service:orders"']],
  ['who_calls', { service: 'orders', route: '/nope' }, ["'POST /orders'"]],
  ['trace_stats', { env: 'prod' }, ["env 'prod'"]],
  ['dead_routes', { env: 'prod' }, ["env 'prod'"]],
  ['service_map', { env: 'prod' }, ["env 'prod'"]],
  ['who_calls', { servce: 'orders' }, ['did you mean "service"']],
  ['who_calls', {}, ['"service" is missing',
    'try who_calls{"service":"*"}']],
  ['graph_node', {}, ['try graph_node{"nodeId":"service:checkout"}']],
  ['who_calls', { service: 'orders', limit: 0 }, ['from 1 to 500']],
  ['who_calls', { service: 'orders', limit: 501 }, ['limit']],
  ['who_calls', { service: 'orders', since: 'soon' }, ['"15m"']],
  ['who_calls', { service: 'orders', cursor: 'nonsense' }, ['this cursor']],
  ['dead_routes', { verdict: 'gone' }, ['never_observed']],
  ['dead_routes', { stale_days: 401 }, ['400']],
];

// Lists that are read page by page, and the array they give.
const lists = [
  ['runtime_traffic', { service_name: 'orders' }, 'edges', 6],
  ['dead_routes', { verdict: 'all' }, 'routes', 5],
  ['service_map', {}, 'rows', 7],
  ['who_calls', { service: 'orders' }, 'callers', 2],
  ['graph_query', { prefix: '' }, 'nodes', 12],
];

const call = (client, name, args) => client.callTool({ name, arguments: args });
const textOf = (result) => result.content.map((part) => part.text).join('');

async function askAll(name, client, validators) {
  for (const [tool, args, verify] of questions)
    await check(`${name}: ${tool}${JSON.stringify(args)}`, async () => {
      const result = await call(client, tool, args);
      truthy(!result.isError, textOf(result));
      const validate = validators.get(tool);
      truthy(validate(result.structuredContent),
        JSON.stringify(validate.errors));
      const text = textOf(result);
      equal(text, JSON.stringify(JSON.parse(text)), 'compact text');
      equal(JSON.parse(text), result.structuredContent, 'text');
      truthy(text.length <= CAP, `${text.length} bytes`);
      verify(result.structuredContent);
    });
}

async function pageThrough(client, [tool, args, array, total]) {
  const whole = (await call(client, tool, args)).structuredContent;
  const rows = [];
  let cursor;
  for (let page = 0; page <= total; page++) {
    const result = await call(client, tool,
      { ...args, limit: 1, ...(cursor && { cursor }) });
    truthy(!result.isError, textOf(result));
    const got = result.structuredContent;
    equal(got.returned, 1);
    equal(got.total, total);
    equal(got.truncated, got.next_cursor !== null);
    rows.push(...got[array]);
    cursor = got.next_cursor;
    if (!cursor)
      break;
  }
  equal(rows, whole[array]);
  equal(rows.length, total);
}

async function tour(name, client) {
  const validators = new Map();

  await check(`${name}: who we are`, () => {
    equal(client.getServerVersion()?.name, 'spangraph');
    const told = client.getInstructions();
    truthy(told.length <= 2000, `instructions of ${told.length}`);
    for (const word of ['trace_stats', 'not_judged', 'next_cursor'])
      truthy(told.includes(word), word);
    has(client.getServerCapabilities(),
      ['tools', 'resources', 'prompts', 'completions']);
  });
  await check(`${name}: the list of tools`, async () => {
    const { tools } = await client.listTools();
    equal(tools.map((tool) => tool.name).sort(), [...new Set(
      questions.map(([tool]) => tool))].sort());
    truthy(JSON.stringify(tools).length <= 7168, 'size');
    for (const tool of tools) {
      const ajv = new Ajv2020({ strict: false });
      truthy(tool.description.length <= 1000, `${tool.name}: description`);
      truthy(tool.title, `${tool.name}: title`);
      has(tool.annotations, Object.keys(HINTS));
      equal({ ...tool.annotations, title: undefined },
        { ...HINTS, title: undefined });
      equal(tool.inputSchema.additionalProperties, false);
      truthy(ajv.validateSchema(tool.inputSchema), `${tool.name}: input`);
      const whole = ajv.compile(await read(client, `graph://schema/${tool.name}`));
      const listed = ajv.compile(tool.outputSchema);
      const fits = (got) => {
        const ok = listed(got) && whole(got);
        fits.errors = listed.errors || whole.errors;
        return ok;
      };
      validators.set(tool.name, fits);
    }
  });
  await askAll(name, client, validators);
  for (const [tool, args, parts] of mistakes)
    await check(`${name}: ${tool}${JSON.stringify(args)} teaches`, async () => {
      const result = await call(client, tool, args);
      equal(result.isError, true);
      for (const part of parts)
        said([textOf(result)], part);
    });
  await check(`${name}: an unknown tool`, async () => {
    let error = null;
    await call(client, 'who_cals', {}).catch((e) => { error = e; });
    equal(error?.code, -32602);
    said([error.message], 'who_calls');
  });
  await check(`${name}: a tool of a set that is not offered`, async () => {
    let error = null;
    await call(client, 'plan_turn', {}).catch((e) => { error = e; });
    equal(error?.code, -32602);
    said([error.message], 'query.toolsets');
  });
  for (const list of lists)
    await check(`${name}: pages of ${list[0]}`,
      () => pageThrough(client, list));
  await resources(name, client);
  await prompts(name, client);
}

const read = async (client, uri) => {
  const { contents } = await client.readResource({ uri });
  equal(contents.length, 1);
  equal(contents[0].mimeType, 'application/json');
  return JSON.parse(contents[0].text);
};

async function resources(name, client) {
  await check(`${name}: resources`, async () => {
    const listed = (await client.listResources()).resources;
    equal(listed.map((resource) => resource.uri),
      ['graph://schema', 'graph://services', 'graph://health',
        'spangraph://health', 'spangraph://stats']);
    has(await read(client, 'graph://schema'), ['node_kinds', 'verdicts']);
    equal((await read(client, 'graph://services')).services.map((s) => s.name),
      ['gateway', 'orders', 'worker']);
    has(await read(client, 'graph://health'), STATS);
    const health = await read(client, 'spangraph://health');
    has(health, ['status', 'uptime_seconds', 'graph_connected',
      'entity_counts', 'errors', 'traces']);
    equal(health.status, 'healthy');
    has(await read(client, 'spangraph://stats'),
      ['entity_counts', 'total_entities', 'relationship_counts']);
  });
  await check(`${name}: resource template`, async () => {
    const { resourceTemplates } = await client.listResourceTemplates();
    equal(resourceTemplates.map((template) => template.uriTemplate),
      ['graph://service/{name}', 'graph://schema/{tool}']);
    equal((await read(client, 'graph://service/orders')).total, 6);
    let error = null;
    await client.readResource({ uri: 'graph://service/ordres' })
      .catch((e) => { error = e; });
    truthy([-32602, -32002].includes(error?.code), `code ${error?.code}`);
    truthy(error.message.includes('closest: orders'), error.message);
  });
}

async function prompts(name, client) {
  const complete = async (ref, argument, value, chosen) => (
    await client.complete({ ref, argument: { name: argument, value },
      ...(chosen && { context: { arguments: chosen } }) })).completion.values;
  const prompt = { type: 'ref/prompt', name: 'change_risk' };

  await check(`${name}: prompts`, async () => {
    const listed = (await client.listPrompts()).prompts;
    equal(listed.map((p) => p.name),
      ['dead_route_review', 'incident_impact', 'change_risk']);
    equal(listed.map((p) => p.arguments.map((arg) => arg.name)),
      [['service', 'stale_days'], ['service'], ['service', 'route']]);
    const review = await client.getPrompt({ name: 'dead_route_review',
      arguments: { service: 'gateway', stale_days: '7' } });
    truthy(review.messages[0].content.text.includes(
      'stale_days=7 and service=gateway'), 'arguments of the review');
    const { messages } = await client.getPrompt({
      name: 'change_risk', arguments: { service: 'orders' } });
    truthy(messages[0].content.text.includes('who_calls orders'), 'text');
    let error = null;
    await client.getPrompt({ name: 'change_risk', arguments: {} })
      .catch((e) => { error = e; });
    equal(error?.code, -32602);
  });
  await check(`${name}: completion`, async () => {
    equal(await complete(prompt, 'service', 'o'), ['orders']);
    equal(await complete(prompt, 'service', 'gatewy'), ['gateway']);
    said(await complete(prompt, 'route', 'GET'), 'GET /orders/{}');
    equal(await complete(prompt, 'route', 'GET', { service: 'orders' }),
      ['GET /orders/{}']);
    equal(await complete({ ...prompt, name: 'dead_route_review' },
      'stale_days', '9'), ['90']);
    equal(await complete({ type: 'ref/resource',
      uri: 'graph://service/{name}' }, 'name', 'w'), ['worker']);
  });
}

// What two moments of asking may differ in.
function timeless(answer) {
  const { data_as_of: _, ...rest } = answer;
  return JSON.parse(JSON.stringify({ ...rest,
    ...(rest.window && { window: { ...rest.window, from: 0, to: 0 } }) })
    .replace(/\d+ (minute|second)s? ago/g, 'now'));
}

async function compareCommand(client) {
  for (const [tool, args] of questions)
    await check(`spangraph call ${tool} ${JSON.stringify(args)}`, async () => {
      const pairs = Object.entries(args).map(([key, value]) =>
        `${key}=${value}`);
      const out = execFileSync(spangraph,
        ['call', '--data', data, tool, ...pairs], { timeout: 5000 });
      const { structuredContent } = await call(client, tool, args);
      equal(timeless(JSON.parse(out)), timeless(structuredContent));
    });
}

async function emptyTour(name, client) {
  for (const [tool, args] of [['trace_stats', {}], ['service_map', {}],
    ['graph_query', { prefix: '' }], ['dead_routes', {}]])
    await check(`empty store, ${name}: ${tool}`, async () => {
      const result = await call(client, tool, args);
      truthy(!result.isError, textOf(result));
      said(result.structuredContent.hints, 'no span was received yet');
      said(result.structuredContent.hints, '4317');
    });
  for (const tool of ['who_calls', 'explain'])
    await check(`empty store, ${name}: ${tool}`, async () => {
      const result = await call(client, tool, { service: 'orders' });
      equal(result.isError, true);
      said([textOf(result)], 'no service has been seen yet');
    });
  await check(`empty store, ${name}: the rest`, async () => {
    equal((await read(client, 'graph://services')).services, []);
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'change_risk' },
      argument: { name: 'service', value: '' } });
    equal(completion.values, []);
  });
}

const table = clients(url, spangraph, ['mcp', '--data', data]);
await tourAll(table, tour);

const [client, transport] = table['sdk 1 http']();
await client.connect(transport);
await compareCommand(client);
await client.close();

const bare = clients(url, spangraph, ['mcp', '--data', empty]);
await tourAll({
  'sdk 1 stdio': bare['sdk 1 stdio'],
  'sdk 2 new stdio': bare['sdk 2 new stdio'],
}, emptyTour);

done();
