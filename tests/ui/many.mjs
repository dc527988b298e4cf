// Print traces, one request a line, that make a graph of a given size: each
// route of each service calls some routes of others.
//
//   node many.mjs SERVICES ROUTES CALLS [NOW_S]
const [services, routes, calls, now] = process.argv.slice(2).map(Number);
const at = BigInt(now || Math.floor(Date.now() / 1000) - 600) * 1000000000n;
let seed = 1;
const random = (n) => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return Math.floor((seed / 4294967296) * n);
};
const hex = (n, width) => n.toString(16).padStart(width, "0");

let trace = 0;
let span = 0;
const byService = new Map();
function add(service, route, traceId, parent) {
  span += 1;
  const id = hex(span, 16);
  const list = byService.get(service) ?? [];
  list.push({
    traceId, spanId: id, ...(parent ? { parentSpanId: parent } : {}), name: `GET /r${route}`, kind: 2,
    startTimeUnixNano: String(at), endTimeUnixNano: String(at + BigInt(1000000 * (1 + random(90)))),
    attributes: [{ key: "http.request.method", value: { stringValue: "GET" } }, { key: "http.route", value: { stringValue: `/r${route}` } }],
    ...(random(50) === 0 ? { status: { code: 2 } } : {}),
  });
  byService.set(service, list);
  return id;
}
function flush() {
  const resourceSpans = [...byService].map(([service, spans]) => ({
    resource: { attributes: [{ key: "service.name", value: { stringValue: `svc-${hex(service, 4)}` } }] }, scopeSpans: [{ spans }],
  }));
  process.stdout.write(`${JSON.stringify({ resourceSpans })}\n`);
  byService.clear();
}
for (let service = 0; service < services; service++) {
  for (let route = 0; route < routes; route++) {
    trace += 1;
    const traceId = hex(trace, 32);
    const parent = add(service, route, traceId, "");
    for (let call = 0; call < calls; call++) {
      // Some are asked far more than others, as it is.
      const target = Math.floor(services * (random(1000) / 1000) ** 2);
      add(target === service ? (service + 1) % services : target, random(routes), traceId, parent);
    }
  }
  if (service % 20 === 19 || service === services - 1) flush();
}
