// A client of the queue (servers.js), traced by hand as the messaging
// conventions say: the message carries its context, the consumer's span links
// the producer's.
'use strict';

const net = require('net');
const { context, propagation, trace, ROOT_CONTEXT, SpanKind, SpanStatusCode } = require('@opentelemetry/api');

const port = Number(process.env.SHOP_QUEUE_PORT);
const tracer = trace.getTracer('shop-queue-client', '1.0.0');

function attributes(topic, type, name) {
  return {
    'messaging.system': 'shopqueue',
    'messaging.destination.name': topic,
    'messaging.operation.type': type,
    'messaging.operation.name': name,
  };
}

function publish(topic, body) {
  const span = tracer.startSpan(`send ${topic}`, {
    kind: SpanKind.PRODUCER,
    attributes: attributes(topic, 'send', 'send'),
  });
  const headers = {};
  propagation.inject(trace.setSpan(context.active(), span), headers);
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.end(JSON.stringify({ publish: topic, headers, body }) + '\n');
    });
    socket.on('error', reject);
    socket.on('close', resolve);
    socket.resume();
  }).catch((err) => {
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'queue failed' });
    throw err;
  }).finally(() => span.end());
}

async function handle(topic, message, handler) {
  const producer = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, message.headers));
  const span = tracer.startSpan(`process ${topic}`, {
    kind: SpanKind.CONSUMER,
    attributes: attributes(topic, 'process', 'process'),
    links: producer ? [{ context: producer }] : [],
  }, ROOT_CONTEXT);
  try {
    await context.with(trace.setSpan(ROOT_CONTEXT, span), () => handler(message.body));
  } catch (err) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'packing failed' });
  } finally {
    span.end();
  }
}

function consume(topic, handler) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.write(JSON.stringify({ subscribe: topic }) + '\n');
      resolve();
    });
    let rest = '';
    socket.on('error', reject);
    socket.on('data', (piece) => {
      const lines = (rest + piece).split('\n');
      rest = lines.pop();
      for (const line of lines) handle(topic, JSON.parse(line), handler);
    });
  });
}

module.exports = { publish, consume };
