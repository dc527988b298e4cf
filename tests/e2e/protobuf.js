// Writes the requests of the tables as protobuf: what they use of OTLP and no
// more (field numbers of opentelemetry/proto/trace/v1/trace.proto).
'use strict';

function varint(number) {
  const out = [];
  let rest = BigInt(number);
  while (rest > 127n) {
    out.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return Buffer.from([...out, Number(rest)]);
}

const tag = (field, type) => varint(field * 8 + type);
const number = (field, value) => (value ? Buffer.concat([tag(field, 0), varint(value)]) : Buffer.alloc(0));

function bytes(field, value) {
  return Buffer.concat([tag(field, 2), varint(value.length), value]);
}

const text = (field, value) => (value ? bytes(field, Buffer.from(value)) : Buffer.alloc(0));
const id = (field, value) => (value ? bytes(field, Buffer.from(value, 'hex')) : Buffer.alloc(0));
const message = (field, ...parts) => bytes(field, Buffer.concat(parts));

function fixed(field, size, value) {
  const out = Buffer.alloc(size);
  if (size === 8) out.writeBigUInt64LE(BigInt(value));
  else out.writeUInt32LE(value);
  return Buffer.concat([tag(field, size === 8 ? 1 : 5), out]);
}

function anyValue(value) {
  if ('stringValue' in value) return bytes(1, Buffer.from(value.stringValue));
  if ('boolValue' in value) return Buffer.concat([tag(2, 0), varint(value.boolValue ? 1 : 0)]);
  if ('intValue' in value) return Buffer.concat([tag(3, 0), varint(value.intValue)]);
  const out = Buffer.alloc(8);
  out.writeDoubleLE(value.doubleValue);
  return Buffer.concat([tag(4, 1), out]);
}

const attribute = (field, { key, value }) => message(field, text(1, key), message(2, anyValue(value)));

function span(s) {
  return message(
    2,
    id(1, s.traceId),
    id(2, s.spanId),
    text(3, s.traceState),
    id(4, s.parentSpanId),
    text(5, s.name),
    number(6, s.kind),
    fixed(7, 8, s.startTimeUnixNano),
    fixed(8, 8, s.endTimeUnixNano),
    ...s.attributes.map((a) => attribute(9, a)),
    ...s.links.map((l) => message(13, id(1, l.traceId), id(2, l.spanId))),
    ...(s.status ? [message(15, number(3, s.status.code))] : []),
    ...(s.flags ? [fixed(16, 4, s.flags)] : []),
  );
}

const scopeSpans = (s) => message(2, message(1, text(1, s.scope.name)), ...s.spans.map(span));

function encode(resourceSpans) {
  return Buffer.concat(resourceSpans.map((r) => message(
    1,
    message(1, ...r.resource.attributes.map((a) => attribute(1, a))),
    ...r.scopeSpans.map(scopeSpans),
  )));
}

module.exports = { encode };
