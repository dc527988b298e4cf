'use strict';
// Runs what documents say: run.js FOLDER SPANGRAPH DOCUMENT...
//
// FOLDER is a scratch copy of the tree, a repository with one commit; before
// each document it is made as it was.  A document is run from its first line to
// its last in a shell of its own; what cannot be run here is checked (check.js).  Prints one line a document, as the end-to-end
// tests do, and what was skipped.
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { read } = require('./blocks.js');
const { scriptOf } = require('./script.js');
const { check, factsOf } = require('./check.js');

const SECONDS = 120;

function restore(root) {
    for (const args of [['checkout', '-q', '.'], ['clean', '-ffdxq', '-e', '/build']]) {
        const { status, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
        if (status !== 0) throw new Error(stderr);
    }
}

function shell(script, made, name, root) {
    const work = fs.mkdtempSync(path.join(os.tmpdir(), 'docs-'));
    const printed = fs.openSync(path.join(work, 'printed'), 'w');
    for (const { line, text } of made.expected) fs.writeFileSync(path.join(work, `expected.${line}`), text + '\n');
    fs.writeFileSync(path.join(work, 'script'), script);
    const syntax = spawnSync('bash', ['-n', path.join(work, 'script')], { encoding: 'utf8' });
    const env = { ...process.env, DOCS_NAME: name, DOCS_WORK: work, DOCS_TOOLS: __dirname, NO_COLOR: '1', HOME: work };
    let failure = syntax.stderr.trim().replace(/^[^\n]*script: line (\d+): /, `${name}:$1: `);
    if (!failure) {
        const run = spawnSync('timeout', ['-k', '5', String(SECONDS), 'bash', path.join(work, 'script')],
            { cwd: root, env, stdio: ['ignore', printed, printed] });
        const said = path.join(work, 'failure');
        if (fs.existsSync(said)) failure = fs.readFileSync(said, 'utf8').trim();
        else if (run.status !== 0) failure = `${name}: ended with ${run.status}: ${fs.readFileSync(path.join(work, 'printed'), 'utf8').slice(-500)}`;
    }
    fs.rmSync(work, { recursive: true, force: true });
    return failure;
}

// {failures: [text], counts: {ran, checked, skipped: [...]}}
function runDocument(name, facts) {
    const text = fs.readFileSync(path.join(facts.root, name), 'utf8');
    const doc = read(text);
    const { problems, checked } = check(doc, name, facts);
    const failures = problems.map((problem) => `${name}:${problem.line}: ${problem.text}`);
    let made = { ran: 0, skipped: [] };
    if (!doc.problems.length) {
        try {
            made = scriptOf(doc, text.split('\n').length);
            const failure = made.ran + doc.setup.length ? shell(made.text, made, name, facts.root) : '';
            if (failure) failures.push(failure);
        } catch (error) {
            failures.push(`${name}:${error.message}`);
        }
    }
    return { failures, ran: made.ran, checked, skipped: made.skipped };
}

const [root, spangraph, ...names] = process.argv.slice(2);
const facts = factsOf(root, spangraph);
const total = { ran: 0, checked: 0, skipped: 0, failed: 0 };
for (const name of names) {
    restore(root);
    const { failures, ran, checked, skipped } = runDocument(name, facts);
    console.log(`${failures.length ? 'not ok' : 'ok'} ${name}: ${ran} blocks run, ${checked} checked, ${skipped.length} commands skipped`);
    for (const failure of failures) console.log(failure);
    for (const { line, text, why } of skipped) console.log(`# skipped ${name}:${line} ${text}: ${why}`);
    total.ran += ran;
    total.checked += checked;
    total.skipped += skipped.length;
    total.failed += failures.length ? 1 : 0;
}
console.log(`# ${names.length} documents: ${total.ran} blocks run, ${total.checked} checked, ${total.skipped} commands skipped`);
process.exit(total.failed ? 1 : 0);
