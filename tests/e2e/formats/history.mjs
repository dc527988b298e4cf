// A month of hourly spans around NOW (seconds), as JSON lines of OTLP, of
// services whose routes are alive, dead, and badly named:
//
//   node history.mjs NOW
//
// api is seen each hour; its GET /old until five days ago.  spotty is seen each
// second hour.  Read it as of NOW + 10 days.
const now = Number(process.argv[2]);
const HOUR = 3600;
const hostile = '/=cmd|x"`@all&b>_';
let count = 0;

const hex = (number, digits) => number.toString(16).padStart(digits, '0');
const attribute = (key, stringValue) => ({key, value: {stringValue}});

function span(route, at) {
    count += 1;
    return {
        traceId: hex(count, 32), spanId: hex(count, 16), kind: 2, name: `GET ${route}`,
        startTimeUnixNano: `${at}000000000`, endTimeUnixNano: `${at}005000000`,
        attributes: [attribute('http.request.method', 'GET'), attribute('http.route', route),
            {key: 'http.response.status_code', value: {intValue: '200'}}],
    };
}

function print(service, spans) {
    const resource = {attributes: [attribute('service.name', service)]};
    process.stdout.write(`${JSON.stringify({resourceSpans: [{resource, scopeSpans: [{spans}]}]})}\n`);
}

for (let hour = -20 * 24; hour < 10 * 24; hour += 1) {
    const at = now - now % HOUR + hour * HOUR + 60;
    const spans = [span('/live', at)];
    if (hour < -5 * 24) spans.push(span('/old', at));
    if (hour > 24 && hour % 24 === 0) spans.push(span(hostile, at));
    print('api', spans);
    if (hour % 2 === 0) print('spotty', [span('/now-and-then', at)]);
}
