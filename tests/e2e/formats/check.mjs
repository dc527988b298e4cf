// What others' parsers make of our output, as plain lines to compare:
//
//   node check.mjs sarif FILE SCHEMA.go   "valid", or what is wrong
//   node check.mjs dot FILE               its labels, sorted; by Graphviz
//   node check.mjs mermaid FILE           "flowchart-v2" and its labels
//   node check.mjs graphml FILE           its labels; by an XML parser
//   node check.mjs gexf FILE              its labels, edges, their weight; by graphology
//   node check.mjs cyclonedx FILE         its services and on whom they depend
//   node check.mjs nodegraph FILE FIELDS  its titles, edges, what is amiss
//   node check.mjs backstage FILE         its entities, by Backstage's model
//   node check.mjs csv FILE               rows of JSON
//   node check.mjs ci FILE                the script of a workflow's gate
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

async function gexf() {
    const {JSDOM} = await import('jsdom');
    const {window} = new JSDOM('');
    globalThis.DOMParser = window.DOMParser;
    globalThis.Document = window.Document;
    const {MultiDirectedGraph} = (await import('graphology')).default;
    const {parse} = (await import('graphology-gexf/browser/index.js')).default;
    const graph = parse(MultiDirectedGraph, text, {allowUndeclaredAttributes: false});
    const labels = graph.mapNodes((id, {label}) => label);
    const weight = graph.reduceEdges((sum, id, attributes) => sum + attributes.weight, 0);
    print([...labels.sort(), `${graph.size} edges`, `${weight} weight`]);
}

// By the schema of CycloneDX 1.6, and whole.
async function cyclonedx() {
    const {Validation, Spec} = await import('@cyclonedx/cyclonedx-library');
    const wrong = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
    if (wrong) throw new Error(JSON.stringify(wrong));
    const {services, dependencies} = JSON.parse(text);
    const refs = new Set(services.map((one) => one['bom-ref']));
    const lines = services.map((one) => {
        const found = dependencies.filter(({ref}) => ref === one['bom-ref']);
        if (found.length > 1) throw new Error(`${one['bom-ref']} depends twice`);
        const edge = one['x-trust-boundary'] ? ' (outside)' : '';
        return `${one.name}${edge} -> ${(found[0]?.dependsOn ?? []).join(' ')}`.trimEnd();
    });
    for (const {ref, dependsOn} of dependencies)
        for (const one of [ref, ...dependsOn]) if (!refs.has(one)) lines.push(`dangling ${one}`);
    if (refs.size !== services.length) lines.push('a reference comes twice');
    print(lines.sort());
}

async function csv() {
    const {parse} = await import('csv-parse/sync');
    print(parse(text, {columns: true, record_delimiter: '\r\n'}).map((row) => JSON.stringify(row)));
}

// As the Node Graph API data source reads it: fields tell the frame's columns.
async function nodegraph() {
    const {nodes, edges} = JSON.parse(text);
    const fields = JSON.parse(readFileSync(schemaFile, 'utf8'));
    const ids = new Set(nodes.map((node) => node.id));
    const amiss = [];
    for (const [rows, columns, needed] of [[nodes, fields.nodes_fields, ['id']], [edges, fields.edges_fields, ['id', 'source', 'target']]]) {
        const types = new Map(columns.map((column) => [column.field_name, column.type]));
        for (const name of needed) if (types.get(name) !== 'string') amiss.push(`no ${name}`);
        if (new Set(rows.map((row) => row.id)).size !== rows.length) amiss.push('an id twice');
        for (const row of rows)
            for (const [name, value] of Object.entries(row))
                if (typeof value !== types.get(name)) amiss.push(`${name} is a ${typeof value}`);
    }
    for (const node of nodes) if (Math.abs(node.arc__ok + node.arc__failed - 1) > 1e-9) amiss.push(`arcs of ${node.title}`);
    for (const edge of edges) if (!ids.has(edge.source) || !ids.has(edge.target)) amiss.push(`edge ${edge.id}`);
    print([...nodes.map((node) => node.title).sort(), `${edges.length} edges`, ...amiss]);
}

async function backstage() {
    const {parseAllDocuments} = await import('yaml');
    const model = await import('@backstage/catalog-model');
    const kinds = {
        Component: model.componentEntityV1alpha1Validator,
        API: model.apiEntityV1alpha1Validator,
        Resource: model.resourceEntityV1alpha1Validator,
    };
    const policy = model.EntityPolicies.allOf([
        new model.SchemaValidEntityPolicy(), new model.FieldFormatEntityPolicy(), new model.NoForeignRootFieldsEntityPolicy(),
    ]);
    const lines = [];
    const refs = new Set();
    const wanted = [];
    for (const document of parseAllDocuments(text)) {
        if (document.errors.length) throw document.errors[0];
        const entity = model.DefaultNamespaceEntityPolicy ? await new model.DefaultNamespaceEntityPolicy().enforce(document.toJS()) : document.toJS();
        await policy.enforce(entity);
        if (!await kinds[entity.kind].check(entity)) throw new Error(`${entity.kind} ${entity.metadata.name}`);
        const ref = model.stringifyEntityRef(entity);
        if (refs.has(ref)) throw new Error(`${ref} comes twice`);
        refs.add(ref);
        const {dependsOn = [], providesApis = [], consumesApis = [], definition} = entity.spec;
        if (entity.spec.type === 'openapi') JSON.parse(definition).paths.constructor;
        for (const one of dependsOn) wanted.push(model.stringifyEntityRef(model.parseEntityRef(one, {defaultNamespace: 'default'})));
        for (const one of [...providesApis, ...consumesApis])
            wanted.push(model.stringifyEntityRef(model.parseEntityRef(one, {defaultKind: 'api', defaultNamespace: 'default'})));
        lines.push(`${ref} (${entity.metadata.title}) -> ${dependsOn.join(' ')}`.trimEnd());
    }
    for (const one of wanted) if (!refs.has(one)) lines.push(`dangling ${one}`);
    print(lines.sort());
}

async function ci() {
    const {parse} = await import('yaml');
    const file = parse(text);
    const steps = file.jobs?.['dead-routes'].steps;
    print([steps ? steps.find((step) => step.id === 'judge').run : file['dead-routes'].script.join('\n')]);
}

await {sarif, dot, mermaid, graphml, gexf, cyclonedx, csv, nodegraph, backstage, ci}[what]();
