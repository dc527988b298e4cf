// The OpenTelemetry SDK, set up before anything else is loaded.
//
// SHOP_SERVICE names the service; SHOP_PROTOCOL is grpc, http/protobuf or
// http/json; the endpoint comes from the SDK's own OTEL_EXPORTER_OTLP_ENDPOINT.
'use strict';

const { registerInstrumentations } = require('@opentelemetry/instrumentation');
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { ExpressInstrumentation } = require('@opentelemetry/instrumentation-express');
const { resourceFromAttributes } = require('@opentelemetry/resources');
const { NodeTracerProvider, BatchSpanProcessor } = require('@opentelemetry/sdk-trace-node');

const exporters = {
  'grpc': '@opentelemetry/exporter-trace-otlp-grpc',
  'http/protobuf': '@opentelemetry/exporter-trace-otlp-proto',
  'http/json': '@opentelemetry/exporter-trace-otlp-http',
};

const protocol = process.env.SHOP_PROTOCOL || 'http/protobuf';
if (!exporters[protocol]) {
  console.error(`SHOP_PROTOCOL is ${protocol}; it takes ${Object.keys(exporters).join(', ')}`);
  process.exit(2);
}
const { OTLPTraceExporter } = require(exporters[protocol]);

const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({
    'service.name': process.env.SHOP_SERVICE,
    'service.version': '1.2.0',
    'telemetry.sdk.language': 'nodejs',
  }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(), { scheduledDelayMillis: 200 })],
});
provider.register();
registerInstrumentations({
  instrumentations: [new HttpInstrumentation(), new ExpressInstrumentation()],
});

// Flush what is left, then end.
async function stop() {
  try {
    await provider.shutdown();
  } finally {
    process.exit(0);
  }
}
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
