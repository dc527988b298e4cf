'use strict';
// Gives what deploy/ ships to a real API server (tests/deploy/apiserver.sh starts
// one) and prints one line a check, as check.js does.
//
//   apiserver.js ADDRESS CA_FILE TOKEN CRD_FOLDER CHART_FILE...
//
// Objects are applied on the server's side with dryRun=All and strict field
// validation: all its admission and validation, nothing stored.  Stored are only
// what others refer to: CRDs, namespaces, ServiceAccounts, and the gateway once,
// so that what follows is an upgrade.  No controller runs, so no workload makes a
// pod: the pod of each workload's template is sent, too, because PodSecurity
// refuses pods and only warns of workloads.  A warning is a failure.
const fs = require('fs');
const https = require('https');
const path = require('path');
const yaml = require('js-yaml');
const { render, documents, podSpecs } = require('./render.js');

const [address, caFile, token, crdFolder, ...charts] = process.argv.slice(2);
const ca = fs.readFileSync(caFile);
const GATEWAY = 'deploy/k8s/overlays/gateway';
const FULL = 'tests/deploy/full';
const SIDECAR = 'deploy/k8s/overlays/sidecar';
const FOLDERS = [GATEWAY, FULL, 'deploy/k8s/overlays/dev', SIDECAR, 'tests/deploy/apps'];
const CRDS = ['servicemonitors', 'podmonitors', 'prometheusrules'];
const ESTABLISHED_TRIES = 100;
const TRY_MS = 100;
const REQUEST_MS = 30000;
let failures = 0;

function check(name, problems) {
    if (problems.length > 0) failures++;
    console.log(problems.length > 0 ? `not ok ${name}: ${problems.join('; ')}` : `ok ${name}`);
}

// An answer; what is not JSON is a message (a group that is not served yet).
function parsed(text) {
    try {
        return JSON.parse(text);
    } catch {
        return { message: text.trim() };
    }
}

// One request; {status, warning, body}.
function call(method, where, body) {
    const type = method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json';
    const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json', 'Content-Type': type };
    return new Promise((resolve, reject) => {
        const request = https.request(`https://${address}${where}`, { method, ca, headers, timeout: REQUEST_MS }, (response) => {
            const parts = [];
            response.on('data', (part) => parts.push(part));
            response.on('end', () => resolve({
                status: response.statusCode,
                warning: response.headers.warning || '',
                body: parsed(Buffer.concat(parts).toString()),
            }));
        });
        request.on('timeout', () => request.destroy(new Error(`no answer to ${method} ${where}`)));
        request.on('error', reject);
        request.end(body && JSON.stringify(body));
    });
}

const resources = new Map();

// The path of a kind, as the server tells it.
async function pathOf(object) {
    const { apiVersion, kind, metadata } = object;
    const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    if (!resources.has(group)) resources.set(group, (await call('GET', group)).body.resources || []);
    const found = resources.get(group).find((one) => one.kind === kind && !one.name.includes('/'));
    if (!found) throw new Error(`the server has no ${apiVersion} ${kind}`);
    return found.namespaced ? `${group}/namespaces/${metadata.namespace}/${found.name}` : `${group}/${found.name}`;
}

// Applies an object; dry unless stored is true.
async function apply(object, stored = false) {
    const query = `?fieldManager=test&force=true&fieldValidation=Strict${stored ? '' : '&dryRun=All'}`;
    return call('PATCH', `${await pathOf(object)}/${object.metadata.name || 'nameless'}${query}`, object);
}

// The pods that controllers would make of an object, each as the server answers
// it.  A claim template becomes a volume of its name.
async function createPods(object) {
    const answers = [];
    for (const spec of podSpecs(object)) {
        const { labels, annotations } = object.spec.template.metadata;
        const metadata = { name: `${object.metadata.name}-0`, namespace: object.metadata.namespace, labels, annotations };
        const claims = (object.spec.volumeClaimTemplates || []).map((claim) => claim.metadata.name);
        const volumes = claims.map((name) => ({ name, persistentVolumeClaim: { claimName: `${name}-${metadata.name}` } }));
        const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...spec, volumes: [...(spec.volumes || []), ...volumes] } };
        answers.push(await call('POST', `${await pathOf(pod)}?dryRun=All&fieldValidation=Strict`, pod));
    }
    return answers;
}

function problemsOf({ status, warning, body }) {
    const out = warning ? [`warning ${warning}`] : [];
    if (status >= 300) out.push(`${status} ${body.message}`);
    return out;
}

async function store(object) {
    const problems = problemsOf(await apply(object, true));
    if (problems.length > 0) throw new Error(`${object.kind} ${object.metadata.name}: ${problems.join('; ')}`);
}

async function installCrds() {
    for (const name of CRDS) {
        const crd = yaml.load(fs.readFileSync(path.join(crdFolder, `monitoring.coreos.com_${name}.yaml`), 'utf8'));
        const where = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
        const answer = await call('POST', where, crd);
        if (answer.status !== 201) throw new Error(`CRD ${name}: ${answer.body.message}`);
        for (let tries = 0; ; tries++) {
            const { conditions = [] } = (await call('GET', `${where}/${crd.metadata.name}`)).body.status || {};
            const list = await call('GET', `/apis/${crd.spec.group}/v1/${name}`);
            if (list.status === 200 && conditions.some((one) => one.type === 'Established' && one.status === 'True')) break;
            if (tries === ESTABLISHED_TRIES) throw new Error(`CRD ${name} is not established`);
            await new Promise((resolve) => { setTimeout(resolve, TRY_MS); });
        }
    }
}

function account(name, namespace) {
    return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
}

// What must be there before a dry run of the rest.  The app of tests/deploy/apps
// brings no account of its own.
async function prepare(objects) {
    for (const object of objects.filter((one) => one.kind === 'Namespace')) await store(object);
    for (const object of objects.filter((one) => one.kind === 'ServiceAccount')) await store(object);
    for (const object of objects)
        for (const { serviceAccountName } of podSpecs(object))
            if (serviceAccountName === 'orders') await store(account('orders', object.metadata.namespace));
}

async function checkTaken(name, objects) {
    await prepare(objects);
    for (const object of objects) {
        const what = `${name}: ${object.kind}/${object.metadata.name}`;
        check(`${what} is taken`, problemsOf(await apply(object)));
        for (const answer of await createPods(object)) check(`${what}: its pod is admitted`, problemsOf(answer));
    }
}

// The gateway stored and applied again; the rest of the checks find it there.
async function checkAgain() {
    for (const object of render(GATEWAY)) {
        const first = await apply(object, true);
        const second = await apply(object, true);
        const same = first.status < 300 && first.body.metadata.resourceVersion === second.body.metadata.resourceVersion;
        check(`${GATEWAY}: ${object.kind}/${object.metadata.name} applied again changes nothing`,
            same ? [] : [JSON.stringify(second.body)]);
    }
}

// A namespace for each rendered chart, with the labels docs/kubernetes.md asks for.
async function checkCharts() {
    for (const [index, file] of charts.entries()) {
        const namespace = structuredClone(render(GATEWAY).find((object) => object.kind === 'Namespace'));
        namespace.metadata.name = `chart-${index}`;
        const objects = documents(file);
        for (const object of objects) object.metadata.namespace = namespace.metadata.name;
        await checkTaken(path.basename(file, '.yaml'), [namespace, ...objects]);
    }
}

const workload = (objects) => objects.find((object) => ['StatefulSet', 'Deployment'].includes(object.kind));
const kind = (objects, name) => objects.find((object) => object.kind === name);
const podOf = (objects) => workload(objects).spec.template.spec;

// What the server must refuse: [name, folder, what it says, the edit, object].
const SPOILED = [
    ['an unknown field of a container', FULL, /restartPolicyy/, (o) => { podOf(o).containers[0].restartPolicyy = 'Always'; }, workload],
    ['a string for a number', FULL, /terminationGracePeriodSeconds|int64/, (o) => { podOf(o).terminationGracePeriodSeconds = 'long'; }, workload],
    ['a quantity that is none', FULL, /quantit/, (o) => { podOf(o).containers[0].resources.limits.memory = '2 gigs'; }, workload],
    ['a mount without volume', FULL, /none/, (o) => { podOf(o).containers[0].volumeMounts.push({ name: 'none', mountPath: '/none' }); }, workload],
    ['labels that the selector does not find', FULL, /selector/, (o) => { workload(o).spec.template.metadata.labels = { app: 'other' }; }, workload],
    ['a sidecar that stays sometimes', SIDECAR, /restartPolicy/, (o) => { podOf(o).initContainers[0].restartPolicy = 'Sometimes'; }, workload],
    ['a readiness probe of what does not stay', SIDECAR, /Probe/, (o) => { delete podOf(o).initContainers[0].restartPolicy; }, workload],
    ['a port out of range', FULL, /65535/, (o) => { kind(o, 'Service').spec.ports[0].port = 70000; }, (o) => kind(o, 'Service')],
    ['an unknown field of a NetworkPolicy', FULL, /ingres/, (o) => { kind(o, 'NetworkPolicy').spec.ingres = []; }, (o) => kind(o, 'NetworkPolicy')],
    ['an unknown field of a ServiceMonitor', FULL, /intervall/, (o) => { kind(o, 'ServiceMonitor').spec.endpoints[0].intervall = '1s'; }, (o) => kind(o, 'ServiceMonitor')],
    ['an alert without an expression', FULL, /expr/, (o) => { delete kind(o, 'PrometheusRule').spec.groups[0].rules[0].expr; }, (o) => kind(o, 'PrometheusRule')],
    ['a claim template that changes', FULL, /Forbidden|forbidden/, (o) => { kind(o, 'StatefulSet').spec.volumeClaimTemplates[0].spec.resources.requests.storage = '1Ti'; }, workload],
];

// What PodSecurity must refuse of a pod and warn of in a workload.
const UNSAFE = [
    ['a privileged container', GATEWAY, (pod) => { Object.assign(pod.containers[0].securityContext, { privileged: true, allowPrivilegeEscalation: true }); }],
    ['root', GATEWAY, (pod) => { pod.securityContext.runAsUser = 0; }],
    ['a capability', GATEWAY, (pod) => { pod.containers[0].securityContext.capabilities.add = ['NET_ADMIN']; }],
    ['a volume of the host', GATEWAY, (pod) => { pod.volumes.push({ name: 'host', hostPath: { path: '/' } }); }],
    ['the network of the host', GATEWAY, (pod) => { pod.hostNetwork = true; }],
    ['a sidecar that may gain privileges', SIDECAR, (pod) => { delete pod.initContainers[0].securityContext.allowPrivilegeEscalation; }],
];

async function checkRefused() {
    for (const [name, folder, says, spoil, choose] of SPOILED) {
        const objects = render(folder);
        spoil(objects);
        const { status, body } = await apply(choose(objects));
        check(`${name} is refused`, status >= 400 && says.test(body.message) ? [] : [`${status} ${body.message || ''}`]);
    }
    for (const [name, folder, spoil] of UNSAFE) {
        const object = workload(render(folder));
        spoil(object.spec.template.spec);
        const [{ status, body }] = await createPods(object);
        check(`${name} is refused`, status === 403 && /violates PodSecurity "restricted/.test(body.message) ? [] : [`${status} ${body.message || ''}`]);
        const { warning } = await apply(object);
        check(`${name} in a workload is warned of`, /PodSecurity/.test(warning) ? [] : [`only: ${warning}`]);
    }
}

// The same pod where our labels are not: they are what refuses it.
async function checkLabelsMatter() {
    const object = workload(render(GATEWAY));
    UNSAFE[0][2](object.spec.template.spec);
    object.metadata.namespace = 'default';
    await store(account(object.spec.template.spec.serviceAccountName, 'default'));
    const [answer] = await createPods(object);
    check('it is the labels of the namespace that refuse', problemsOf(answer));
}

async function main() {
    await installCrds();
    await checkTaken(GATEWAY, render(GATEWAY));
    await checkAgain();
    for (const folder of FOLDERS.slice(1)) await checkTaken(folder, render(folder));
    await checkCharts();
    await checkRefused();
    await checkLabelsMatter();
}

main().catch((error) => check('the API server can be asked', [error.stack])).finally(() => process.exit(failures > 0 ? 1 : 0));
