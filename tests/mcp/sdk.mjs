// The official clients, old and new, against us over HTTP and stdio, and every
// schema and structured answer held against JSON Schema 2020-12.
//     sdk.mjs URL COMMAND [ARGUMENT...]
import Ajv2020 from 'ajv/dist/2020.js';

import { check, done, equal, limit, truthy } from './check.mjs';
import { clients, tourAll } from './clients.mjs';

const [url, command, ...args] = process.argv.slice(2);

limit(90);

async function tour(name, client) {
  await check(`${name}: who we are`, async () => {
    equal(client.getServerVersion()?.name, 'mcp-conformance-fixture');
    truthy(client.getInstructions(), 'instructions');
    truthy(client.getServerCapabilities()?.tools, 'tools capability');
  });
  await check(`${name}: tools`, async () => {
    const { tools } = await client.listTools();
    truthy(tools.some((tool) => tool.name === 'test_structured'), 'listed');
    const result = await client.callTool({
      name: 'test_structured', arguments: { name: 'abc' } });
    equal(result.structuredContent, { name: 'abc', limit: 20 });
    const bad = await client.callTool({
      name: 'test_structured', arguments: { name: 'abc', limit: 501 } });
    equal(bad.isError, true);
  });
  await check(`${name}: progress`, async () => {
    const seen = [];
    await client.callTool({ name: 'test_tool_with_progress' },
      ...(name.startsWith('sdk 1') ? [undefined] : []),
      { onprogress: (progress) => seen.push(progress.progress) });
    // On a pipe, or one stream, the last step and the answer arrive in one read, and these
    // clients forget a call's progress before they look at the step.
    equal(seen.slice(0, 2), [0, 50]);
    if (name.endsWith('http'))
      equal(seen, [0, 50, 100]);
  });
  await check(`${name}: resources`, async () => {
    const { resources } = await client.listResources();
    truthy(resources.length >= 2, 'listed');
    const { resourceTemplates } = await client.listResourceTemplates();
    equal(resourceTemplates.length, 1);
    const { contents } = await client.readResource({
      uri: 'test://template/42/data' });
    truthy(contents[0].text.includes('42'), 'content');
    let code = 0;
    await client.readResource({ uri: 'test://none' })
      .catch((error) => { code = error.code; });
    truthy(code === -32602 || code === -32002, `code ${code}`);
  });
  await check(`${name}: prompts and completion`, async () => {
    const { prompts } = await client.listPrompts();
    truthy(prompts.length >= 4, 'listed');
    const { messages } = await client.getPrompt({
      name: 'test_prompt_with_arguments', arguments: { arg1: 'a', arg2: 'b' } });
    truthy(messages[0].content.text.includes("arg1='a'"), 'message');
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
      argument: { name: 'arg1', value: 'par' } });
    equal(completion.values, ['paris', 'park', 'party']);
  });
}

const table = clients(url, command, args);
await tourAll(table, tour);

await check('schemas: every tool has valid ones', async () => {
  const [client, transport] = table['sdk 1 http']();
  await client.connect(transport);
  const { tools } = await client.listTools();
  await client.close();
  for (const tool of tools) {
    const ajv = new Ajv2020({ strict: false });
    for (const schema of [tool.inputSchema, tool.outputSchema])
      if (schema)
        truthy(ajv.validateSchema(schema), `${tool.name}: schema`);
    truthy(/^[A-Za-z0-9_.-]{1,128}$/.test(tool.name), `${tool.name}: name`);
  }
});

done();
