// Ask `search` a file of questions and judge the answers: NDCG@10 by stratum.
//
//   ask.js SPANGRAPH DATA QUESTIONS... [--bare DATA] [--floor F] [--misses N]
//                                      [--out FILE]
//   ask.js --judged FILE...          the same table of what --out has kept
//
// Each line of QUESTIONS: {stratum, query, relevant: {object: grade}}.  The
// ideal ranking is that of the judgements, not of what was found.  The baseline
// is the same question with use_enhanced false.  An object is `path#name` of a
// symbol, `METHOD /path` of a route, `service:name`, or the path of a document;
// `a|b`: either is right, and the first that is found counts.  What `symbol` asks
// for is asked of --bare, an index of the same source without comments.
'use strict';
const { spawn } = require('child_process');
const fs = require('fs');
const readline = require('readline');

const TOP = 10;
const args = process.argv.slice(2);
function option(name, fallback) {
    const at = args.indexOf(name);
    return at < 0 ? fallback : args.splice(at, 2)[1];
}
const floor = Number(option('--floor', 0));
const misses = Number(option('--misses', 0));
const out = option('--out', null);
const bare = option('--bare', null);
const quick = option('--quick', null); // without the baseline
const [program, data, ...files] = args;

function peer(folder) {
    const child = spawn(program, ['mcp', '--data', folder, '--toolsets', 'all'],
        { stdio: ['pipe', 'pipe', 'ignore'] });
    const waiting = new Map();
    let last = 0;
    readline.createInterface({ input: child.stdout }).on('line', (line) => {
        const reply = JSON.parse(line);
        if (waiting.has(reply.id)) waiting.get(reply.id)(reply);
        waiting.delete(reply.id);
    });
    child.on('exit', () => waiting.forEach((done) => done({ error: 'it has ended' })));
    const send = (method, params) => new Promise((done) => {
        const id = ++last;
        waiting.set(id, done);
        child.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\n');
    });
    return {
        send,
        start: async () => {
            await send('initialize', { protocolVersion: '2025-06-18', capabilities: {},
                clientInfo: { name: 'bench', version: '1' } });
            child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
        },
        call: async (name, given) => {
            const reply = await send('tools/call', { name, arguments: given });
            if (reply.error || reply.result.isError)
                throw new Error(JSON.stringify(reply.error || reply.result.content));
            return reply.result.structuredContent || JSON.parse(reply.result.content[0].text);
        },
        stop: () => child.stdin.end(),
    };
}

// What a row may be called in the judgements.
function names(row) {
    const facts = row.metadata || {};
    const plain = String(row.name).replace(/^\.\.\./, '')
        .replace(/(\w+ )\.\.\./, '$1').replace(/:\w+|<[^>]*>|\{[^}]*\}/g, '{}');
    const list = [row.name, plain, `service:${row.name}`];
    const path = facts.file || facts.path;
    // A function without a name is part of the one around it.
    const name = String(row.name).replace(/(\.(anonymous|func)\d+(\.\d+)*)+$/, '');
    if (path) list.push(path, `${path}#${row.name}`,
        `${path}#${name.split('.').pop().replace(/#\d+$/, '')}`);
    if (row.url) list.push(row.url);
    return list;
}

function isIt(row, object) {
    const known = names(row);
    return object.split('|').some((one) => known.includes(one) ||
        (row.url && !one.includes('#') && row.url.endsWith('/' + one)));
}

const gain = (grades) => grades.reduce((sum, grade, i) =>
    sum + (2 ** grade - 1) / Math.log2(i + 2), 0);

function judge(rows, relevant) {
    const left = new Map(Object.entries(relevant));
    const grades = rows.slice(0, TOP).map((row) => {
        for (const [object, grade] of left)
            if (isIt(row, object)) {
                left.delete(object);
                return grade;
            }
        return 0;
    });
    const ideal = Object.values(relevant).sort((a, b) => b - a).slice(0, TOP);
    return gain(grades) / gain(ideal);
}

// A fixed sequence: the interval is the same for the same answers.
function chance(seed) {
    let state = seed >>> 0;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 2 ** 32;
    };
}

const mean = (list) => list.reduce((a, b) => a + b, 0) / (list.length || 1);

function interval(list) {
    const next = chance(20261122);
    const means = [];
    for (let i = 0; i < 2000; i++)
        means.push(mean(list.map(() => list[Math.floor(next() * list.length)])));
    means.sort((a, b) => a - b);
    return [means[50], means[1949]];
}

const number = (x) => x.toFixed(3).padStart(7);

function print(rows) {
    const strata = [...new Set(rows.map((row) => row.stratum))];
    console.log('stratum        n  search        95 %         bm25   better worse');
    for (const stratum of [...strata, 'all']) {
        const of = rows.filter((row) => stratum === 'all' || row.stratum === stratum);
        const [low, high] = interval(of.map((row) => row.best));
        console.log(stratum.padEnd(11), String(of.length).padStart(4),
            number(mean(of.map((row) => row.best))),
            ` [${low.toFixed(3)}, ${high.toFixed(3)}]`,
            number(mean(of.map((row) => row.plain))),
            String(of.filter((row) => row.best > row.plain + 1e-9).length).padStart(7),
            String(of.filter((row) => row.best < row.plain - 1e-9).length).padStart(5));
    }
    return mean(rows.map((row) => row.best));
}

async function main() {
    const whole = peer(data);
    const without = bare ? peer(bare) : whole;
    const rows = [];
    let shown = 0;
    await whole.start();
    if (bare) await without.start();
    for (const file of files)
        for (const line of fs.readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
            const { stratum, query, relevant } = JSON.parse(line);
            const server = stratum === 'symbol' ? without : whole;
            const ask = (enhanced) => server.call('search',
                { query, limit: Number(process.env.TOP || TOP), use_enhanced: enhanced, include_content: false });
            const found = await ask(true);
            const plain = quick ? { results: [] } : await ask(false);
            const row = { stratum, best: judge(found.results, relevant),
                plain: judge(plain.results, relevant) };
            rows.push(row);
            if (row.best < 0.99 && shown++ < misses)
                console.log(row.best.toFixed(2), row.plain.toFixed(2), stratum, JSON.stringify(query),
                    Object.keys(relevant).join(' '), '\n     ', found.results.slice(0, 4)
                        .map((r) => `${r.id} ${JSON.stringify(r.metadata.lanes)}`).join('\n      '));
        }
    whole.stop();
    if (bare) without.stop();
    if (out) fs.writeFileSync(out, rows.map((row) => JSON.stringify(row) + '\n').join(''));
    const all = print(rows);
    if (all < floor) {
        console.error(`NDCG@10 ${all.toFixed(3)} is below ${floor}`);
        process.exit(1);
    }
}

// Rows that were judged before.
function again(list) {
    print(list.flatMap((file) => fs.readFileSync(file, 'utf8').split('\n')
        .filter(Boolean).map((line) => JSON.parse(line))));
}

if (program === '--judged')
    again(args.slice(1));
else
    main().catch((error) => {
    console.error(error.message);
    process.exit(1);
});
