// What others' parsers make of our output, as plain lines to compare:
//
//   node check.mjs sarif FILE SCHEMA.go   "valid", or what is wrong
//   node check.mjs dot FILE               its labels, sorted; by Graphviz
//   node check.mjs mermaid FILE           "flowchart-v2" and its labels
//   node check.mjs graphml FILE           its labels; by an XML parser
//   node check.mjs csv FILE               rows of JSON
import {readFileSync} from 'node:fs';

const [what, file, schemaFile] = process.argv.slice(2);
const text = readFileSync(file, 'utf8');
const print = (lines) => process.stdout.write(lines.map((line) => `${line}\n`).join(''));

async function sarif() {
    const {default: Ajv} = await import('ajv-draft-04');
    const source = readFileSync(schemaFile, 'utf8');
    const schema = JSON.parse(source.slice(source.indexOf('`') + 1, source.lastIndexOf('`')));
    const ajv = new Ajv({strict: false, allErrors: true, validateFormats: false});
    const validate = ajv.compile(schema);
    const log = JSON.parse(text);
    if (!validate(log)) {
        print(validate.errors.map((error) => `${error.instancePath} ${error.message}`));
        process.exitCode = 1;
        return;
    }
    const {rules} = log.runs[0].tool.driver;
    const bad = log.runs[0].results.filter((result) => rules[result.ruleIndex]?.id !== result.ruleId);
    print([bad.length ? `${bad.length} results name the wrong rule` : 'valid']);
}

async function dot() {
    const viz = await (await import('@viz-js/viz')).instance();
    const {edges} = viz.renderJSON(text);
    // The label as it is drawn, not as it is written; of nodes, by their class.
    const {JSDOM} = await import('jsdom');
    const svg = new JSDOM(viz.renderString(text, {format: 'svg'}), {contentType: 'image/svg+xml'});
    const drawn = [...svg.window.document.querySelectorAll('g.node')].map((node) =>
        [...node.querySelectorAll('text')].map((line) => line.textContent).join('|'));
    print([...drawn.sort(), `${edges?.length ?? 0} edges`]);
}

async function mermaid() {
    const {JSDOM} = await import('jsdom');
    globalThis.window = new JSDOM('').window;
    globalThis.document = window.document;
    const {default: library} = await import('mermaid');
    await library.parse(text);
    const diagram = await library.mermaidAPI.getDiagramFromText(text);
    const area = document.createElement('textarea');
    const plain = (label) => {
        // The placeholders that mermaid keeps until it draws.
        area.innerHTML = label.replace(/ﬂ°°/g, '&#').replace(/ﬂ°/g, '&').replace(/¶ß/g, ';');
        return area.value;
    };
    const labels = [...diagram.db.getVertices().values()].map((node) => plain(node.text));
    print([diagram.type, ...labels.sort(), `${diagram.db.getEdges().length} edges`]);
}

async function graphml() {
    const {SaxesParser} = await import('saxes');
    const parser = new SaxesParser({xmlns: true});
    const labels = [];
    const ids = new Set();
    let edges = 0;
    let dangling = 0;
    let key = '';
    parser.on('error', (error) => { throw error; });
    parser.on('opentag', (tag) => {
        if (tag.uri !== 'http://graphml.graphdrawing.org/xmlns') throw new Error(`namespace ${tag.uri}`);
        if (tag.local === 'node') ids.add(tag.attributes.id.value);
        if (tag.local === 'edge') {
            edges += 1;
            if (!ids.has(tag.attributes.source.value) || !ids.has(tag.attributes.target.value)) dangling += 1;
        }
        key = tag.local === 'data' ? tag.attributes.key.value : '';
    });
    parser.on('text', (value) => { if (key === 'label') labels.push(value); });
    parser.on('closetag', () => { key = ''; });
    parser.write(text).close();
    print([...labels.sort(), `${edges} edges`, `${dangling} dangling`]);
}

async function csv() {
    const {parse} = await import('csv-parse/sync');
    print(parse(text, {columns: true, record_delimiter: '\r\n'}).map((row) => JSON.stringify(row)));
}

await {sarif, dot, mermaid, graphml, csv}[what]();
