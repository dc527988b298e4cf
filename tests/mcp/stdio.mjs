// Golden openings: how clients in the field begin a conversation on stdio.
//     stdio.mjs COMMAND [ARGUMENT...]
import { spawn } from 'node:child_process';

import { check, done, equal, limit, truthy } from './check.mjs';

const [command, ...args] = process.argv.slice(2);
const NEW = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'probe', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

limit(60);

// Says |messages|, closes the input, and returns what was said until the end.
function converse(messages) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), 10000);
    let out = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (chunk) => { out += chunk; });
    child.on('error', reject);
    child.on('close', (status) => {
      clearTimeout(timer);
      const lines = out.split('\n').filter((line) => line !== '');
      resolve({ status, answers: lines.map((line) => JSON.parse(line)) });
    });
    for (const message of messages)
      child.stdin.write(typeof message === 'string'
        ? message : `${JSON.stringify(message)}\n`);
    child.stdin.end();
  });
}

const call = (id, method, params) =>
  ({ jsonrpc: '2.0', id, method, ...(params && { params }) });
const notice = (method) => ({ jsonrpc: '2.0', method });
const initialize = (id, protocolVersion) => call(id, 'initialize', {
  protocolVersion, capabilities: {}, clientInfo: { name: 'p', version: '1' } });

async function opening(name, messages, verify) {
  await check(`stdio ${name}`, async () => {
    const { status, answers } = await converse(messages);
    equal(status, 0, 'exit status');
    await verify(answers);
  });
}

await opening('discover, then modern (Claude Code)', [
  call(0, 'server/discover', { _meta: NEW }),
  call(1, 'tools/list', { _meta: NEW }),
  call(2, 'prompts/list', { _meta: NEW }),
  call(3, 'tools/call', { name: 'test_structured', arguments: { name: 'a' },
    _meta: NEW }),
], (answers) => {
  equal(answers.length, 4);
  equal(answers[0].result.supportedVersions, ['2026-07-28']);
  truthy(answers[0].result.instructions, 'instructions');
  truthy(answers[1].result.tools.length > 0, 'tools');
  equal(answers[3].result.structuredContent.name, 'a');
});

await opening('initialize 2025-06-18, no probe (Codex)', [
  initialize(0, '2025-06-18'),
  notice('notifications/initialized'),
  call(1, 'tools/list', {}),
  call(2, 'resources/list', {}),
  call(3, 'tools/call', { name: 'test_simple_text' }),
], (answers) => {
  equal(answers.length, 4);
  equal(answers[0].result.protocolVersion, '2025-06-18');
  equal(answers[1].result.resultType, undefined);
  equal(answers[3].result.content[0].type, 'text');
});

await opening('discover, notification, initialize (Antigravity)', [
  call(1, 'server/discover'),
  notice('notifications/roots/list_changed'),
  initialize(2, '2025-11-25'),
  notice('notifications/initialized'),
  call(3, 'tools/list', {}),
], (answers) => {
  equal(answers.map((a) => a.id), [1, 2, 3]);
  equal(answers[0].error.code, -32601);
  equal(answers[1].result.protocolVersion, '2025-11-25');
});

await opening('anything unknown first', [
  'not json\n', '[]\n', '\n', call('x', 'no/such'), notice('no/such/notice'),
  initialize('y', '2025-11-25'),
], (answers) => {
  equal(answers.map((a) => a.error?.code ?? 0), [-32700, -32600, -32601, 0]);
  equal(answers[3].id, 'y');
});

await opening('nothing at all', [], (answers) => equal(answers, []));

await opening('a line of 5 MiB, then one that is fine', [
  `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(5 << 20)}"}\n`,
  call(2, 'ping'),
], (answers) => {
  equal(answers[0].error.code, -32600);
  equal(answers[1], { jsonrpc: '2.0', id: 2, result: {} });
});

await opening('cancelled before it begins', [
  call(1, 'tools/call', { name: 'test_tool_with_logging' }),
  call(2, 'tools/call', { name: 'test_simple_text' }),
  { ...notice('notifications/cancelled'), params: { requestId: 2 } },
  call(3, 'ping'),
], (answers) => {
  const ids = answers.filter((a) => a.id).map((a) => a.id);
  equal(ids, [1, 3]);
});

done();
