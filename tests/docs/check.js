'use strict';
// Checks of what is not run: commands for other machines, configuration, links,
// and names in the text.  Each returns [{line, text}].
const { spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const yaml = require('js-yaml');
const { render } = require('../deploy/render.js');
const { collectorProblems } = require('../deploy/collector.js');
const { isCommand } = require('./script.js');

// Programs of others that an example may use.
const FOREIGN = new Set(['apt-get', 'base64', 'cat', 'cd', 'claude', 'codex', 'code', 'cosign', 'curl', 'docker', 'export',
    'gemini', 'git', 'gzip', 'helm', 'install', 'journalctl', 'jq', 'kubectl', 'kustomize', 'ls', 'node', 'npm', 'openssl',
    'otelcol', 'otelcol-contrib', 'pip', 'printf', 'ss', 'sudo', 'systemctl', 'tar', 'tee', 'test']);
// Where a Collector finds spangraph: on the same machine, or in the cluster.
const HOSTS = ['localhost:4317', 'spangraph.spangraph.svc:4317', 'spangraph.example:4317'];

function ask(program, args) {
    const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', timeout: 10000 });
    return status === 0 ? stdout : undefined;
}

// What the program says of itself: {command: Set of options}.
function commandsOf(spangraph) {
    const commands = {};
    for (const [, name] of ask(spangraph, ['--help']).matchAll(/^ {2}([a-z-]+) /gm)) {
        const help = ask(spangraph, [name, '--help']) || '';
        commands[name] = new Set([...help.matchAll(/^ {2}--([a-z-]+)/gm)].map((match) => match[1]).concat('help'));
    }
    return commands;
}

function factsOf(root, spangraph) {
    const keys = Object.keys(JSON.parse(ask(spangraph, ['check-config', '--json'])));
    const targets = new Set([...fs.readFileSync(path.join(root, 'Makefile'), 'utf8').matchAll(/^([a-z-]+):/gm)].map((match) => match[1]));
    const folders = fs.readdirSync(root).filter((name) => name !== 'build' && fs.statSync(path.join(root, name)).isDirectory());
    return { root, spangraph, commands: commandsOf(spangraph), keys, targets, folders };
}

// The words of a shell text, command by command; quotes keep blanks together.
function simpleCommands(text) {
    const commands = [[]];
    const tokens = text.replace(/\\\n/g, ' ').match(/#[^\n]*|"(?:[^"\\]|\\.)*"|'[^']*'|[;&|\n()]+|(?:[^\s;&|()"']|"(?:[^"\\]|\\.)*"|'[^']*')+/g) || [];
    for (const token of tokens) {
        if (/^[;&|\n()]+$/.test(token)) commands.push([]);
        else if (!token.startsWith('#')) commands[commands.length - 1].push(token.replace(/^["']|["']$/g, ''));
    }
    return commands.filter((words) => words.length);
}

// What follows the word spangraph must be a command and its options.
function ownProblems(words, facts) {
    const name = words.find((word) => !word.startsWith('-'));
    if (!name) return [];
    if (!facts.commands[name]) return [`there is no spangraph ${name}`];
    const end = words.findIndex((word) => /^[<>|]/.test(word));
    return (end < 0 ? words : words.slice(0, end))
        .map((word) => word.match(/^--([a-z][a-z-]*)/)).filter((match) => match && !facts.commands[name].has(match[1]))
        .map((match) => `spangraph ${name} has no --${match[1]}`);
}

// A path below a folder of ours is there, or the file of that module or test.
function pathProblems(word, facts) {
    const at = word.replace(/^[^=]*=/, '').replace(/^@/, '');
    if (!/^[\w.-]+\/[\w./-]*$/.test(at) || !facts.folders.includes(at.split('/')[0])) return [];
    const places = [at, `${at}.h`, `${at}.c`, `tests/${at}.c`];
    return places.some((place) => fs.existsSync(path.join(facts.root, place))) ? [] : [`there is no ${at}`];
}

// Test programs and benchmarks are built from the file of their name.
function isBuilt(program, facts) {
    const [, source] = program.match(/^build\/(?:san|release)\/(tests\/.*)$/) || [];
    return source !== undefined && fs.existsSync(path.join(facts.root, `${source}.c`));
}

// What --set sets is in the chart's values.
function helmProblems(words, facts) {
    const chart = words.find((word) => fs.existsSync(path.join(facts.root, word, 'Chart.yaml')));
    if (!chart) return [];
    const values = yaml.load(fs.readFileSync(path.join(facts.root, chart, 'values.yaml'), 'utf8'));
    const keys = words.flatMap((word, index) => (words[index - 1] === '--set' ? word.split(',') : [])).map((part) => part.split('=')[0]);
    const isThere = (key) => key.split('.').reduce((at, step) => (at && typeof at === 'object' ? at[step] : undefined), values) !== undefined;
    return keys.filter((key) => !isThere(key)).map((key) => `${chart} has no value ${key}`);
}

function commandProblems(words, facts) {
    words = words.filter((word) => !/^[A-Z_]+=/.test(word) && word !== 'sudo');
    if (!words.length) return [];
    const out = words.flatMap((word) => pathProblems(word, facts));
    const program = words[0];
    if (program === 'helm') out.push(...helmProblems(words, facts));
    const own = words.findIndex((word, index) => /(^|\/)spangraph$/.test(word) && (index === 0 || words[index - 1] === '--'));
    if (own >= 0) out.push(...ownProblems(words.slice(own + 1), facts));
    if (program === 'make') out.push(...words.slice(1).filter((word) => !word.includes('=') && !facts.targets.has(word)).map((word) => `make knows no ${word}`));
    else if (own !== 0 && !FOREIGN.has(program) && !isBuilt(program, facts) && !facts.folders.includes(program.split('/')[0])) out.push(`${program} is no program known to tests/docs/check.js`);
    return out;
}

function shellProblems(block, facts) {
    const text = block.lines.map((line) => (block.kind === 'console' ? (line.startsWith('$ ') ? line.slice(2) : '') : line)).join('\n');
    const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
    if (status !== 0) return [{ line: block.line, text: stderr.trim() }];
    return simpleCommands(text).flatMap((words) => commandProblems(words, facts)).map((problem) => ({ line: block.line, text: problem }));
}

// A kustomization whose paths are those of this repository.
function kustomizeProblems(text, facts) {
    const folder = fs.mkdtempSync(path.join(facts.root, 'docs-kustomize-'));
    try {
        fs.writeFileSync(path.join(folder, 'kustomization.yaml'), text.replace(/^( *- )((deploy)\/.*)$/gm, '$1../$2'));
        return render(folder).length ? [] : ['it renders nothing'];
    } catch (error) {
        return [error.message];
    } finally {
        fs.rmSync(folder, { recursive: true });
    }
}

function spangraphProblems(text, facts) {
    const file = path.join(facts.root, '.docs.yaml');
    fs.writeFileSync(file, text);
    const { status, stderr } = spawnSync(facts.spangraph, ['check-config', file], { encoding: 'utf8', timeout: 10000 });
    fs.rmSync(file);
    return status === 0 ? [] : [stderr.trim().replaceAll(file, 'block')];
}

function dataProblems(block, facts) {
    const text = block.lines.join('\n') + '\n';
    try {
        if (block.kind === 'json') JSON.parse(text);
        if (block.kind === 'toml') {
            const { status, stderr } = spawnSync('python3', ['-c', 'import sys, tomllib; tomllib.load(sys.stdin.buffer)'], { input: text, encoding: 'utf8' });
            return status === 0 ? [] : [stderr.trim().split('\n').pop()];
        }
        if (block.kind !== 'yaml') return [];
        const value = yaml.loadAll(text);
        if (block.words.spangraph) return spangraphProblems(text, facts);
        if (block.words.kustomize) return kustomizeProblems(text, facts);
        return block.words.collector ? collectorProblems(value[0], HOSTS) : [];
    } catch (error) {
        return [error.message];
    }
}

// Is |code| written like a key?  `service.name` is an attribute of spans, and
// `knowledge.db` a file.
function isKey(code, facts) {
    const root = code.split('.')[0];
    return /^[a-z_]+(\.[a-z_0-9]+)+$/.test(code) && !code.endsWith('.db') && root !== 'service' &&
        facts.keys.some((key) => key.startsWith(`${root}.`));
}

// Code within a line: commands of ours, targets of make, files, keys.
function codeProblems(code, facts) {
    const words = simpleCommands(code)[0] || [];
    if (/^(build\/)?spangraph$/.test(words[0])) return ownProblems(words.slice(1), facts);
    if (words[0] === 'make' && words[1]) return commandProblems(words, facts);
    if (isKey(code, facts))
        return facts.keys.some((key) => key === code || key.startsWith(`${code}.`)) ? [] : [`${code} is no key of the configuration`];
    return words.flatMap((word) => pathProblems(word, facts));
}

function anchorsOf(file) {
    return [...fs.readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)]
        .map((match) => match[1].toLowerCase().replace(/[^\w\- ]/g, '').replace(/ /g, '-'));
}

function linkProblems(target, from, facts) {
    if (/^[a-z]+:/.test(target)) return [];
    const [name, anchor] = target.split('#');
    const file = name ? path.join(facts.root, path.dirname(from), name) : path.join(facts.root, from);
    if (!fs.existsSync(file)) return [`there is no ${target}`];
    return !anchor || anchorsOf(file).includes(anchor) ? [] : [`no heading is #${anchor}`];
}

function proseProblems(doc, from, facts) {
    return doc.prose.flatMap(({ line, text }) => {
        const found = [...text.matchAll(/`([^`]+)`/g)].flatMap((match) => codeProblems(match[1].replace(/\\\|/g, '|'), facts));
        for (const match of text.matchAll(/\]\(([^)\s]+)\)/g)) found.push(...linkProblems(match[1], from, facts));
        return found.map((problem) => ({ line, text: problem }));
    });
}

// Everything of |doc| that is not run; |checked| counts the blocks.
function check(doc, from, facts) {
    const problems = [...doc.problems, ...proseProblems(doc, from, facts)];
    let checked = 0;
    for (const block of doc.blocks) {
        if (['sh', 'console'].includes(block.kind) && block.words.example && block.lines.some(isCommand)) problems.push(...shellProblems(block, facts));
        else if (['yaml', 'json', 'toml'].includes(block.kind)) problems.push(...dataProblems(block, facts).map((text) => ({ line: block.line, text })));
        else continue;
        checked++;
    }
    return { problems, checked };
}

module.exports = { check, factsOf };
