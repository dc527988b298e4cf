// Prints OTLP JSON lines: the traffic of many days, for the audit.
//
//   node days.js NOW_SECONDS
//
// Each row is a service with its traffic: a route, how often, from how long
// ago until how long ago, and what else the span says.
'use strict';

const HOUR = 3600;
const DAY = 24 * HOUR;
const now = Number(process.argv[2]);
const UNSAMPLED = 'ot=th:0';
let count = 0;

const text = (key, value) => ({ key, value: { stringValue: value } });

function span(at, { route, rpc, method = 'GET', state = UNSAMPLED, status = 200, agent }) {
  const attributes = [text('http.request.method', method),
    { key: 'http.response.status_code', value: { intValue: String(status) } }];
  count += 1;
  if (route) attributes.push(text('http.route', route));
  if (agent) attributes.push(text('user_agent.original', agent));
  const id = count.toString(16);
  return {
    traceId: id.padStart(32, '0'),
    spanId: id.padStart(16, '0'),
    traceState: state,
    name: 'request',
    kind: 2,
    startTimeUnixNano: `${at}000000000`,
    endTimeUnixNano: `${at}005000000`,
    attributes: rpc ? [text('rpc.system', 'grpc'), text('rpc.method', rpc)]
      : route ? attributes : [],
  };
}

// Traffic each |every| seconds between |from| and |to| seconds ago.
function send(service, { every, from, to = 0, env, version, ...rest }) {
  const spans = [];
  for (let ago = from; ago > to; ago -= every) spans.push(span(now - ago, rest));
  const about = [text('service.name', service)];
  if (env) about.push(text('deployment.environment.name', env));
  if (version) about.push(text('service.version', version));
  console.log(JSON.stringify({
    resourceSpans: [{ resource: { attributes: about }, scopeSpans: [{ spans }] }],
  }));
}

const always = { every: HOUR, from: 60 * DAY };

send('shop', { ...always, route: '/live' });
send('shop', { every: 7 * DAY, from: 96 * DAY, to: 39 * DAY, route: '/stopped' });
send('shop', { every: DAY, from: 300 * DAY, to: 299 * DAY, route: '/yearly' });
send('shop', { every: HOUR, from: 50 * DAY, route: '/healthz', agent: 'kube-probe/1.30' });
send('shop', { every: DAY, from: 50 * DAY, route: '/denied', status: 401 });
send('shop', { every: DAY, from: 50 * DAY, route: '/denied', status: 404, method: 'GET' });
send('shop', { every: DAY, from: 50 * DAY, route: '/undocumented' });
send('young', { every: HOUR, from: 2 * DAY, route: '/live' });
send('sampled', { ...always, route: '/live', state: 'ot=th:fd70a4' });
send('unknown', { ...always, route: '/live', state: '' });
send('pathless', { ...always });
send('gaps', { every: HOUR, from: 30 * DAY, to: 20 * DAY, route: '/live' });
send('gaps', { every: HOUR, from: 10 * DAY, route: '/live' });
send('deployed', { every: HOUR, from: 60 * DAY, to: 5 * DAY, route: '/live', version: '1' });
send('deployed', { every: HOUR, from: 5 * DAY, route: '/live', version: '2' });
send('deployed', { every: HOUR, from: 60 * DAY, route: '/zombie', version: '1' });
send('cart', { ...always, rpc: 'shop.Cart/Add' });
send('cart', { ...always, rpc: 'Ping/Once' });
send('places', { ...always, route: '/live', env: 'prod' });
send('places', { ...always, route: '/live', env: 'staging' });
send('places', { ...always, route: '/trial', env: 'staging' });
