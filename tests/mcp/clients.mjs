// The official clients, old and new, over HTTP, HTTP with SSE and stdio.
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseV1 }
  from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as StdioV1 }
  from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 }
  from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as ClientV2, SSEClientTransport as SseV2,
  StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 }
  from '@modelcontextprotocol/client/stdio';

import { check, equal } from './check.mjs';

const INFO = { name: 'sdk-check', version: '1.0.0' };
const MODES = {
  old: 'legacy',
  new: { pin: '2026-07-28' },
  auto: 'auto',
};

// Functions that make [client, transport], by name.
export function clients(url, command, args) {
  const v2 = (mode) =>
    new ClientV2(INFO, { versionNegotiation: { mode: MODES[mode] } });
  const table = {
    'sdk 1 http': () => [new ClientV1(INFO), new HttpV1(new URL(url))],
    'sdk 1 sse': () => [new ClientV1(INFO), new SseV1(new URL('/sse', url))],
    'sdk 2 old sse': () => [v2('old'), new SseV2(new URL('/sse', url))],
    'sdk 1 stdio': () => [new ClientV1(INFO), new StdioV1({ command, args })],
  };
  for (const mode of Object.keys(MODES)) {
    table[`sdk 2 ${mode} http`] = () => [v2(mode), new HttpV2(new URL(url))];
    table[`sdk 2 ${mode} stdio`] =
      () => [v2(mode), new StdioV2({ command, args })];
  }
  return table;
}

// Connects each, takes it on |tour|, and closes it.
export async function tourAll(table, tour) {
  for (const [name, make] of Object.entries(table)) {
    const [client, transport] = make();
    let connected = false;
    await check(`${name}: connect`, async () => {
      await client.connect(transport);
      connected = true;
    });
    if (!connected)
      continue;
    if (name.includes('new') || name.includes('auto'))
      await check(`${name}: speaks the new protocol`, async () =>
        equal(client.getProtocolEra?.(), 'modern'));
    await tour(name, client);
    await check(`${name}: close`, () => client.close());
  }
}
