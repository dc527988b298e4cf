// What a client sees on the wire, one probe a row of the specification's table.
//     probes.mjs URL [TOKEN-URL TOKEN]
import http from 'node:http';

import { check, done, equal, limit, truthy } from './check.mjs';

const [url, tokenUrl, token] = process.argv.slice(2);
const NEW = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': NEW,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const BASE = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
};

limit(60);

// fetch() forbids some headers (Host), and hides others; this sends them all.
function send(target, { method = 'POST', headers = {}, body = '' } = {}) {
  return new Promise((resolve, reject) => {
    const given = Object.fromEntries(
      Object.entries({ ...BASE, ...headers }).filter(([, v]) => v !== null));
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const req = http.request(target, { method, headers: given, agent: false },
      (res) => {
        let data = '';
        res.setEncoding('utf8');
        res.on('data', (chunk) => { data += chunk; });
        res.on('end', () => {
          const events = data.split('\n').filter((l) => l.startsWith('data: '));
          const last = events.length ? events.at(-1).slice(6) : data;
          let json = null;
          try { json = JSON.parse(last); } catch { /* no JSON: null */ }
          resolve({ status: res.statusCode, headers: res.headers, data, json });
        });
      });
    req.on('error', reject);
    req.setTimeout(10000, () => req.destroy(new Error('no answer')));
    req.end(method === 'POST' ? text : undefined);
  });
}

// What to ask of the fixture, and of the product on the recorded shop.
const FIXTURE = {
  tool: 'test_structured', args: { name: 'x' }, plain: 'test_simple_text',
  wrong: { nme: 'x' }, teach: 'did you mean "name"', lost: 'test://none',
  verify: (got) => equal(got, { name: 'x', limit: 20 }),
};
const PRODUCT = {
  tool: 'who_calls', args: { service: 'orders' }, plain: 'trace_stats',
  wrong: { servce: 'x' }, teach: 'did you mean "service"',
  lost: 'graph://service/none', verify: (got) => equal(got.total, 2),
};
const call = (method, params, id = 1) =>
  ({ jsonrpc: '2.0', id, method, ...(params && { params }) });
const old = (method, params, headers = {}) =>
  send(url, { headers, body: call(method, params) });
const modern = (method, params = {}, headers = {}) => {
  const name = params.name ?? params.uri;
  return send(url, {
    headers: {
      'MCP-Protocol-Version': NEW, 'Mcp-Method': method,
      ...(name && { 'Mcp-Name': name }), ...headers,
    },
    body: call(method, { ...params, _meta: META }),
  });
};
const init = (version, headers) => old('initialize', {
  protocolVersion: version, capabilities: {},
  clientInfo: { name: 'probe', version: '1' },
}, headers);

const { tools } = (await old('tools/list')).json.result;
const isFixture = tools.some((tool) => tool.name === FIXTURE.tool);
const ask = isFixture ? FIXTURE : PRODUCT;

async function probe(name, request, status, code, more) {
  await check(`probe ${name}`, async () => {
    const answer = await request();
    equal(answer.status, status, 'status');
    if (code !== undefined)
      equal(answer.json?.error?.code ?? null, code, 'code');
    await more?.(answer);
  });
}

for (const version of ['1999-01-01', NEW, '2025-11-25'])
  await probe(`initialize ${version}`, () => init(version), 200, null, (a) =>
    equal(a.json.result.protocolVersion, '2025-11-25'));
await probe('initialize 2025-06-18', () => init('2025-06-18'), 200, null, (a) =>
  equal(a.json.result.protocolVersion, '2025-06-18'));
await probe('no session is made', () => init('2025-11-25'), 200, null, (a) =>
  equal(a.headers['mcp-session-id'], undefined));

for (const accept of ['application/json', '*/*', null])
  await probe(`Accept: ${accept}`, () => old('ping', null, { Accept: accept }),
    200, null, (a) => equal(a.headers['content-type'], 'application/json'));
await probe('Accept: text/html',
  () => old('ping', null, { Accept: 'text/html' }), 406);
await probe('Accept: text/event-stream',
  () => old('ping', null, { Accept: 'text/event-stream' }), 200, null, (a) =>
    equal(a.headers['content-type'], 'text/event-stream'));
await probe('Content-Type: text/plain',
  () => old('ping', null, { 'Content-Type': 'text/plain' }), 415);
await probe('malformed JSON', () => send(url, { body: '{"jsonrpc":' }), 400,
  -32700, (a) => equal(a.json.id, null));
await probe('id null', () => send(url, {
  body: { jsonrpc: '2.0', id: null, method: 'ping' } }), 400, -32600);
await probe('no jsonrpc', () => send(url, {
  body: { id: 1, method: 'ping' } }), 400, -32600);
await probe('batch', () => send(url, { body: [call('ping')] }), 400, -32600);
await probe('old unknown method', () => old('no/such'), 200, -32601);
await probe('old unsupported version header',
  () => old('ping', null, { 'MCP-Protocol-Version': '2001-01-01' }), 400,
  undefined, (a) => truthy(a.data.includes('2025-11-25'), 'versions listed'));
await probe('notification', () => send(url, {
  body: { jsonrpc: '2.0', method: 'notifications/initialized' } }), 202,
  undefined, (a) => equal(a.data, ''));
await probe('old response', () => send(url, {
  body: { jsonrpc: '2.0', id: 9, result: {} } }), 202);
await probe('old unknown tool',
  () => old('tools/call', { name: 'no_such', arguments: {} }), 200, -32602);
await probe('old bad arguments', () => old('tools/call',
  { name: ask.tool, arguments: ask.wrong }), 200, null, (a) => {
  equal(a.json.result.isError, true);
  truthy(a.json.result.content[0].text.includes(ask.teach), 'text');
});
for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS'])
  await probe(`${method}`, () => send(url, { method }), 405, undefined, (a) =>
    equal(a.headers.allow, 'POST'));
await probe('evil Origin',
  () => old('ping', null, { Origin: 'http://evil.example.com' }), 403);
await probe('evil Host',
  () => old('ping', null, { Host: 'evil.example.com' }), 403);
await probe('local Origin',
  () => old('ping', null, { Origin: 'http://localhost:5173' }), 200);

await probe('new call', () => modern('tools/call',
  { name: ask.tool, arguments: ask.args }), 200, null, (a) => {
  ask.verify(a.json.result.structuredContent);
  equal(a.json.result.resultType, 'complete');
  equal(JSON.parse(a.json.result.content[0].text),
    a.json.result.structuredContent);
});
await probe('new missing Mcp-Name', () => modern('tools/call',
  { name: ask.plain }, { 'Mcp-Name': null }), 400, -32020);
await probe('new missing version header', () => modern('tools/list', {},
  { 'MCP-Protocol-Version': null }), 400, -32020);
await probe('new mismatch', () => modern('tools/call',
  { name: ask.plain }, { 'Mcp-Name': 'other' }), 400, -32020);
await probe('new no _meta', () => send(url, {
  headers: { 'MCP-Protocol-Version': NEW, 'Mcp-Method': 'tools/list' },
  body: call('tools/list', {}, 'abc') }), 400, -32602, (a) => {
  equal(a.json.id, 'abc');
  equal(a.json.error.data.missing.length, 2);
});
await probe('new unknown version', () => send(url, {
  headers: { 'MCP-Protocol-Version': '3000-01-01', 'Mcp-Method': 'tools/list' },
  body: call('tools/list', { _meta: {
    ...META, 'io.modelcontextprotocol/protocolVersion': '3000-01-01' } }) }),
  400, -32022, (a) => equal(a.json.error.data,
    { supported: [NEW], requested: '3000-01-01' }));
await probe('new unknown method', () => modern('no/such'), 404, -32601);
await probe('new unknown tool', () => modern('tools/call',
  { name: 'no_such' }), 200, -32602);
await probe('new response', () => send(url, {
  headers: { 'MCP-Protocol-Version': NEW },
  body: { jsonrpc: '2.0', id: 9, result: {} } }), 400, -32600);
await probe('session and resumption headers are ignored',
  () => modern('tools/list', {}, {
    'Mcp-Session-Id': 'x', 'Last-Event-ID': '7' }), 200, null);
await probe('trace context is accepted', () => send(url, {
  headers: { 'MCP-Protocol-Version': NEW, 'Mcp-Method': 'tools/list' },
  body: call('tools/list', { _meta: { ...META,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } }),
}), 200, null);

await check('probe large ids come back unharmed', async () => {
  const id = '9007199254740993';
  const body = `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
  const answer = await send(url, { body });
  truthy(answer.data.includes(`"id":${id}`), 'id');
});
await check('probe lists are the same on every connection', async () => {
  const one = await modern('tools/list');
  const two = await modern('tools/list');
  equal(one.data, two.data);
});
await check('probe no reserved code is used', async () => {
  const answer = await modern('resources/read', { uri: ask.lost });
  equal(answer.json.error.code, -32602);
  const before = await old('resources/read', { uri: ask.lost });
  equal(before.json.error.code, -32002);
});
await check('probe a body over 4 MiB is refused', async () => {
  const body = JSON.stringify(call('ping', { x: 'y'.repeat(4 << 20) }));
  const answer = await send(url, { body }).catch((error) => ({
    status: error.code === 'ECONNRESET' || error.code === 'EPIPE' ? 413 : 0 }));
  equal(answer.status, 413);
});
// No question to the product takes long enough to leave in the middle.
async function leave() {
  const started = Date.now();
  const gone = new AbortController();
  const request = fetch(url, {
    method: 'POST', signal: gone.signal,
    headers: { ...BASE, 'MCP-Protocol-Version': NEW,
      'Mcp-Method': 'tools/call', 'Mcp-Name': 'test_slow' },
    body: JSON.stringify(call('tools/call', { name: 'test_slow', _meta: META })),
  }).catch(() => null);
  setTimeout(() => gone.abort(), 200);
  await request;
  const answer = await old('ping');
  equal(answer.status, 200);
  truthy(Date.now() - started < 3000, 'time');
}
if (isFixture)
  await check('probe a client that leaves frees the call', leave);

if (tokenUrl) {
  const ping = { body: call('ping') };
  const authorized = (value) =>
    send(tokenUrl, { ...ping, headers: { Authorization: value } });
  await probe('no token', () => send(tokenUrl, ping), 401, undefined, (a) =>
    truthy(a.headers['www-authenticate']?.startsWith('Bearer'), 'challenge'));
  await probe('wrong token', () => authorized('Bearer nope'), 401);
  await probe('right token', () => authorized(`Bearer ${token}`), 200, null);
}

done();
