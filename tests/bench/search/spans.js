// OTLP JSON of |ROUTES| root SERVER spans, each of another route, of services
// with 250 routes each.  spans.js ROUTES [WORDS]: one request a line.
'use strict';
const crypto = require('crypto');

const A_SERVICE = 250;
const syllable = (i) => 'bdfgklmnprstvwxz'[i % 16] + 'aeiou'[(i >> 4) % 5];
const word = (i) => syllable(i * 7 + 3) + syllable(i * 13 + 5) + syllable(i * 29 + 1);

function request(service, first, count) {
    const now = BigInt(Date.now()) * 1000000n;
    const spans = [];
    for (let i = first; i < first + count; i++) {
        const route = `/${word(i % A_SERVICE)}/{id}/${word(i + 7)}`;
        spans.push({
            traceId: crypto.randomBytes(16).toString('hex'),
            spanId: crypto.randomBytes(8).toString('hex'),
            name: `GET ${route}`, kind: 2,
            startTimeUnixNano: String(now - 1000000n), endTimeUnixNano: String(now),
            attributes: [{ key: 'http.route', value: { stringValue: route } },
                { key: 'http.request.method', value: { stringValue: 'GET' } }],
        });
    }
    return JSON.stringify({ resourceSpans: [{
        resource: { attributes: [{ key: 'service.name',
            value: { stringValue: `svc-${service}` } }] },
        scopeSpans: [{ spans }],
    }] });
}

module.exports = { request, A_SERVICE };
if (require.main === module)
    for (let left = Number(process.argv[2]), s = 0; left > 0; s++, left -= A_SERVICE)
        console.log(request(s, s * A_SERVICE, Math.min(left, A_SERVICE)));
