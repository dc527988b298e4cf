'use strict';
// Checks of deploy/ that need no cluster.  Prints one line a check, as the
// end-to-end tests do.
//
//   check.js objects                    every overlay: schemas and policy
//   check.js same FOLDER FILE           our rendering is what FILE holds
//   check.js chart FOLDER FILE           what Helm rendered to FILE is the same
//   check.js print FOLDER KIND          print one object as JSON
//   check.js collectors                 deploy/otelcol
//   check.js metrics FILE               names of queries are in /metrics
const assert = require('assert');
const fs = require('fs');
const yaml = require('js-yaml');
const { render, documents, podSpecs } = require('./render.js');
const { validate } = require('./strict.js');
const { broken, brokenTogether, brokenSidecars } = require('./policy.js');
const { collectorProblems } = require('./collector.js');

const FOLDERS = ['deploy/k8s/overlays/gateway', 'deploy/k8s/overlays/dev', 'tests/deploy/full'];
const APPS = ['deploy/k8s/overlays/sidecar', 'tests/deploy/apps'];
let failures = 0;

function check(name, problems) {
    if (problems.length > 0) failures++;
    console.log(problems.length > 0 ? `not ok ${name}: ${problems.join('; ')}` : `ok ${name}`);
}

function named(object) {
    return `${object.kind}/${object.metadata.name.replace(/-[a-z0-9]{10}$/, '')}`;
}

function sorted(objects) {
    return [...objects].sort((a, b) => (named(a) < named(b) ? -1 : 1));
}

// What a careless edit would do; each must be noticed.
const SPOILED = [
    ['an unknown field of a container', (pod) => { pod.containers[0].restartPolicyy = 'Always'; }],
    ['an unknown field deep inside', (pod) => { pod.containers[0].securityContext.capabilities.dropp = []; }],
    ['a string for a number', (pod) => { pod.terminationGracePeriodSeconds = 'long'; }],
    ['a quantity that is none', (pod) => { pod.containers[0].resources.limits.memory = '2 gigs'; }],
    ['a missing name', (pod) => { delete pod.containers[0].name; }],
    ['root', (pod) => { pod.securityContext.runAsUser = 0; }],
    ['a capability', (pod) => { pod.containers[0].securityContext.capabilities.add = ['NET_ADMIN']; }],
    ['a writable root', (pod) => { pod.containers[0].securityContext.readOnlyRootFilesystem = false; }],
    ['the latest tag', (pod) => { pod.containers[0].image = 'spangraph:latest'; }],
    ['no tag', (pod) => { pod.containers[0].image = 'registry:5000/spangraph'; }],
    ['no memory limit', (pod) => { delete pod.containers[0].resources.limits.memory; }],
    ['no liveness probe', (pod) => { delete pod.containers[0].livenessProbe; }],
    ['a volume of the host', (pod) => { pod.volumes.push({ name: 'host', hostPath: { path: '/' } }); }],
    ['a mount without volume', (pod) => { pod.containers[0].volumeMounts.push({ name: 'none', mountPath: '/none' }); }],
    ['a token of the API server', (pod) => { pod.automountServiceAccountToken = true; }],
    ['a stop shorter than the drain', (pod) => { pod.terminationGracePeriodSeconds = 5; }],
];

// The same of a sidecar.
const SPOILED_SIDECAR = [
    ['an unknown field of a sidecar', (pod) => { pod.initContainers[0].restartPolicyy = 'Always'; }],
    ['a sidecar that does not stay', (pod) => { delete pod.initContainers[0].restartPolicy; }],
    ['a sidecar that makes the app unready', (pod) => { pod.initContainers[0].readinessProbe = pod.initContainers[0].livenessProbe; }],
    ['a sidecar with more memory', (pod) => { pod.initContainers[0].resources.limits.memory = '128Mi'; }],
    ['a sidecar without bounds', (pod) => { delete pod.initContainers[0].resources.limits; }],
    ['a sidecar with the privileges of the pod', (pod) => { delete pod.initContainers[0].securityContext.seccompProfile; }],
    ['a spool without a size', (pod) => { delete pod.volumes.find((volume) => volume.name === 'spangraph-spool').emptyDir.sizeLimit; }],
    ['a spool that is not there', (pod) => { pod.volumes = pod.volumes.filter((volume) => volume.name !== 'spangraph-spool'); }],
    ['no sidecar at all', (pod) => { pod.initContainers.shift(); }],
    ['a port that the app has', (pod) => { pod.containers[0].ports[0].containerPort = 13133; }],
];

function problemsOf(objects, together = brokenTogether) {
    const one = (object) => [...validate(object), ...broken(object)].map((text) => `${named(object)} ${text}`);
    return [...objects.flatMap(one), ...together(objects)];
}

function checkObjects() {
    for (const folder of FOLDERS) {
        const objects = render(folder);
        for (const object of objects) {
            check(`${folder}: ${named(object)} is valid`, validate(object));
            check(`${folder}: ${named(object)} keeps to the policy`, broken(object));
        }
        check(`${folder}: its parts meet`, brokenTogether(objects));
    }
    for (const [name, spoil] of SPOILED) {
        const objects = render(FOLDERS[2]);
        spoil(objects.find((object) => object.kind === 'StatefulSet').spec.template.spec);
        check(`${name} is noticed`, problemsOf(objects).length > 0 ? [] : ['it is not']);
    }
    for (const folder of APPS) {
        for (const object of render(folder)) {
            check(`${folder}: ${named(object)} is valid`, validate(object));
            check(`${folder}: ${named(object)} keeps to the policy`, broken(object));
        }
        check(`${folder}: its parts meet`, brokenSidecars(render(folder)));
    }
    for (const [name, spoil] of SPOILED_SIDECAR) {
        const objects = render(APPS[0]);
        spoil(objects.find((object) => object.kind === 'Deployment').spec.template.spec);
        check(`${name} is noticed`, problemsOf(objects, brokenSidecars).length > 0 ? [] : ['it is not']);
    }
    checkScraped();
    const doubled = render(FOLDERS[0]);
    doubled.find((object) => object.kind === 'StatefulSet').spec.replicas = 2;
    check('a second writer is noticed', problemsOf(doubled).length > 0 ? [] : ['it is not']);
    const opened = render(FOLDERS[2]);
    opened.find((object) => named(object) === 'NetworkPolicy/spangraph').spec.ingress[0].from = [];
    check('an open NetworkPolicy is noticed', problemsOf(opened).length > 0 ? [] : ['it is not']);
}

// What the PodMonitor looks for is a label of every pod with a sidecar and a port
// of that sidecar.
function unscraped(monitor, objects) {
    const out = [];
    for (const { metadata, spec } of objects.filter(({ kind }) => kind === 'Deployment')) {
        const { labels = {} } = spec.template.metadata || {};
        const ports = (spec.template.spec.initContainers || []).flatMap((container) => (container.ports || []).map((port) => port.name));
        for (const [key, value] of Object.entries(monitor.spec.selector.matchLabels))
            if (labels[key] !== value) out.push(`the pods of ${metadata.name} have no ${key}=${value}`);
        for (const { port } of monitor.spec.podMetricsEndpoints) if (!ports.includes(port)) out.push(`${metadata.name} has no port ${port}`);
    }
    return out;
}

function checkScraped() {
    const monitor = render(FOLDERS[2]).find((object) => object.kind === 'PodMonitor');
    const spoils = [
        ['a pod without the label', (template) => { delete template.metadata.labels['spangraph/sidecar']; }],
        ['a sidecar with another port', (template) => { template.spec.initContainers[0].ports[0].name = 'metrics'; }],
    ];
    for (const folder of APPS) check(`${folder}: Prometheus finds its sidecars`, unscraped(monitor, render(folder)));
    check('in whatever namespace', monitor.spec.namespaceSelector.any === true ? [] : ['only in one']);
    for (const [name, spoil] of spoils) {
        const objects = render(APPS[0]);
        spoil(objects.find((object) => object.kind === 'Deployment').spec.template);
        check(`${name} is noticed`, unscraped(monitor, objects).length > 0 ? [] : ['it is not']);
    }
}

function checkSame(folder, file) {
    let problems = [];
    try {
        assert.deepStrictEqual(sorted(render(folder)), sorted(documents(file)));
    } catch (error) {
        problems = [error.message];
    }
    check(`${folder} is what kustomize renders`, problems);
}

// What Helm does its own way: it makes no Namespace and no Secret, sets the
// namespace when it installs, and tells a changed configuration by a checksum.
function plain(objects) {
    const kept = structuredClone(objects).filter((object) => !['Namespace', 'Secret'].includes(object.kind));
    for (const object of kept) {
        delete object.metadata.namespace;
        if (object.kind === 'ConfigMap') object.metadata.name = 'spangraph';
        for (const pod of podSpecs(object)) {
            delete object.spec.template.metadata.annotations['checksum/config'];
            pod.volumes.find((volume) => volume.configMap).configMap.name = 'spangraph';
        }
    }
    return sorted(kept);
}

function checkChart(folder, file) {
    const objects = documents(file);
    let problems = [];
    try {
        assert.deepStrictEqual(plain(objects), plain(render(folder)));
    } catch (error) {
        problems = [error.message];
    }
    check(`the chart renders ${folder}`, problems);
    check('and its objects are valid and keep to the policy', problemsOf(objects));
}

function printObject(folder, kind) {
    console.log(JSON.stringify(render(folder).find((object) => object.kind === kind)));
}

function checkCollectors() {
    const service = render(FOLDERS[0]).find((object) => object.kind === 'Service');
    const hosts = service.spec.ports.filter((port) => port.name.startsWith('otlp'))
        .map((port) => `${service.metadata.name}.${service.metadata.namespace}.svc:${port.port}`);
    for (const name of ['agent', 'gateway', 'tailsampling', 'loadbalancing']) {
        const config = yaml.load(fs.readFileSync(`deploy/otelcol/${name}.yaml`, 'utf8'));
        check(`Collector ${name}: its pipelines lead here`, collectorProblems(config, hosts));
    }
    const operator = yaml.load(fs.readFileSync('deploy/otelcol/operator.yaml', 'utf8'));
    const gateway = yaml.load(fs.readFileSync('deploy/otelcol/gateway.yaml', 'utf8'));
    let problems = operator.apiVersion === 'opentelemetry.io/v1beta1' && operator.kind === 'OpenTelemetryCollector' ? [] : ['another kind'];
    try {
        assert.deepStrictEqual(operator.spec.config, gateway);
    } catch (error) {
        problems = [error.message];
    }
    check('the Operator gets the configuration of the gateway', problems);
}

// What others measure: Prometheus itself and the kubelet.
const FOREIGN = ['up', 'kubelet_volume_stats_used_bytes', 'kubelet_volume_stats_capacity_bytes'];
const PROMQL = new Set(['absent', 'by', 'changes', 'delta', 'histogram_quantile', 'increase', 'label_values', 'rate', 'sum', 'topk']);

function metricNames(query) {
    const bare = query.replace(/"[^"]*"/g, '').replace(/\{[^}]*\}/g, '').replace(/\[[^\]]*\]/g, '').replace(/\bby \([^)]*\)/g, '');
    return (bare.match(/[a-z_][a-z0-9_]*/gi) || []).filter((name) => !PROMQL.has(name) && name !== 'job');
}

// Label values asked for by = must be printed, too, as one series.
function queryProblems(query, text) {
    const out = [];
    const names = metricNames(query);
    if (names.length === 0) out.push(`no metric in ${query}`);
    for (const name of names)
        if (!FOREIGN.includes(name) && !new RegExp(`^${name}[ {]`, 'm').test(text)) out.push(`${name} is not printed`);
    for (const [, label, value] of query.matchAll(/(result|reason|protocol|signal)="([a-z_]+)"/g))
        if (!text.includes(`${label}="${value}"`)) out.push(`${label}="${value}" is not printed`);
    for (const [, label, values] of query.matchAll(/(result|reason)=~"([a-z_|]+)"/g))
        for (const value of values.split('|')) if (!text.includes(`${label}="${value}"`)) out.push(`${label}="${value}" is not printed`);
    return out;
}

function checkMetrics(file) {
    const text = fs.readFileSync(file, 'utf8');
    const board = JSON.parse(fs.readFileSync('deploy/grafana/spangraph.json', 'utf8'));
    const asked = board.panels.flatMap((panel) => panel.targets.map((target) => target.expr));
    asked.push(...board.templating.list.filter((item) => item.type === 'query').map((item) => item.query));
    check('the dashboard asks for what is printed', asked.flatMap((query) => queryProblems(query, text)));
    const ids = board.panels.map((panel) => panel.id);
    check('each panel has its own id', new Set(ids).size === ids.length ? [] : ['two are the same']);
    const rules = render(FOLDERS[2]).find((object) => object.kind === 'PrometheusRule').spec.groups.flatMap((group) => group.rules);
    check('the alerts ask for what is printed', rules.flatMap((rule) => queryProblems(rule.expr, text)));
    check('each alert says how bad and what', rules.filter((rule) => !rule.labels.severity || !rule.annotations.summary || !rule.annotations.description).map((rule) => rule.alert));
    check('a metric that is not there is noticed', queryProblems('rate(spangraph_nothing_total[5m])', text).length > 0 ? [] : ['it is not']);
}

const [what, ...rest] = process.argv.slice(2);
const commands = { objects: checkObjects, same: checkSame, chart: checkChart, print: printObject, collectors: checkCollectors, metrics: checkMetrics };
if (!commands[what]) {
    console.error(`usage: check.js ${Object.keys(commands).join('|')}`);
    process.exit(2);
}
commands[what](...rest);
process.exit(failures > 0 ? 1 : 0);
