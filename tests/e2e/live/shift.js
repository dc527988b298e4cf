// Prints an OTLP protobuf export again as of other times, with other ids.
//
//   node shift.js FILE HOURS...
//
// Each of HOURS gives one copy of all spans so many hours earlier.  Fields keep
// their size, so they are changed where they stand (field numbers of
// opentelemetry/proto/trace/v1/trace.proto).
'use strict';

const fs = require('fs');

const HOUR_NS = 3600n * 1000000000n;
const file = fs.readFileSync(process.argv[2]);

function* fields(bytes, at, end) {
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at];
      at += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(value);
    }
  };
  while (at < end) {
    const tag = varint();
    const type = tag & 7;
    if (type === 0) {
      varint();
      continue;
    }
    const len = type === 2 ? varint() : type === 1 ? 8 : 4;
    yield { field: tag >> 3, at, end: at + len };
    at += len;
  }
}

function shift(bytes, part, back) {
  bytes.writeBigUInt64LE(bytes.readBigUInt64LE(part.at) - back, part.at);
}

function span(bytes, whole, hours) {
  const back = BigInt(hours) * HOUR_NS;
  for (const part of fields(bytes, whole.at, whole.end)) {
    if (part.field === 7 || part.field === 8) shift(bytes, part, back);
    if ((part.field === 1 || part.field === 2 || part.field === 4) && part.end > part.at) {
      bytes.writeUInt16BE(bytes.readUInt16BE(part.at) ^ hours, part.at);
    }
    if (part.field !== 11) continue;
    for (const event of fields(bytes, part.at, part.end)) {
      if (event.field === 1) shift(bytes, event, back);
    }
  }
}

for (const hours of process.argv.slice(3).map(Number)) {
  const bytes = Buffer.from(file);
  for (const resource of fields(bytes, 0, bytes.length)) {
    for (const scope of fields(bytes, resource.at, resource.end)) {
      if (scope.field !== 2) continue;
      for (const part of fields(bytes, scope.at, scope.end)) {
        if (part.field === 2) span(bytes, part, hours);
      }
    }
  }
  fs.writeSync(1, bytes);
}
