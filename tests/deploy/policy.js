'use strict';
// What we promise of every pod and every object, beyond what the API demands:
// Pod Security "restricted" (kubernetes.io/docs/concepts/security), bounds,
// probes, pinned images, nothing open by a wildcard.
const { podSpecs } = require('./render.js');

const VOLUMES = ['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'persistentVolumeClaim',
    'projected', 'secret'];
const LONGEST_STOP_S = 30; // service.drain is 10 s

function podRules(pod) {
    const context = pod.securityContext || {};
    return [
        ['it runs as user 65532', context.runAsNonRoot === true && context.runAsUser === 65532],
        ['its group is 65532', context.runAsGroup === 65532 && context.fsGroup === 65532],
        ['seccomp is RuntimeDefault', (context.seccompProfile || {}).type === 'RuntimeDefault'],
        ['no token of the API server', pod.automountServiceAccountToken === false],
        ['it is not the default account', pod.serviceAccountName && pod.serviceAccountName !== 'default'],
        ['nothing of the host', !pod.hostNetwork && !pod.hostPID && !pod.hostIPC && !pod.hostUsers],
        ['it is given time to stop', pod.terminationGracePeriodSeconds > LONGEST_STOP_S],
        ['no volume of the host', (pod.volumes || []).every((volume) => Object.keys(volume).every((key) => key === 'name' || VOLUMES.includes(key)))],
        ['scratch volumes are bounded', (pod.volumes || []).every((volume) => !volume.emptyDir || volume.emptyDir.sizeLimit)],
    ];
}

function containerRules(container) {
    const context = container.securityContext || {};
    const capabilities = context.capabilities || {};
    const { requests = {}, limits = {} } = container.resources || {};
    const tag = /^[^@]+:([A-Za-z0-9_.-]+)$/.exec(container.image.replace(/@sha256:[0-9a-f]{64}$/, ''));
    return [
        ['no privilege', !context.privileged && context.allowPrivilegeEscalation === false],
        ['its root is read-only', context.readOnlyRootFilesystem === true],
        ['it has no capability', JSON.stringify(capabilities) === '{"drop":["ALL"]}'],
        ['it asks for CPU and memory', requests.cpu && requests.memory],
        ['it is limited in CPU and memory', limits.cpu && limits.memory],
        ['its image has a version', tag && tag[1] !== 'latest'],
        ['no port of the host', (container.ports || []).every((port) => !port.hostPort)],
        ['no secret in its environment', (container.env || []).every((env) => !(env.valueFrom || {}).secretKeyRef)],
    ];
}

const isOurs = (container) => /(^|\/)spangraph[:@]/.test(container.image);

// Of a container of ours.  A sidecar stays, starts before the app and never takes
// it out of service; it is as small as is promised.
function ourRules(container, isSidecar) {
    const probe = (name) => ((container[name] || {}).httpGet || {}).path;
    const { requests = {}, limits = {} } = container.resources || {};
    const common = [
        ['started is /readyz', probe('startupProbe') === '/readyz'],
        ['alive is /healthz', probe('livenessProbe') === '/healthz'],
    ];
    if (!isSidecar) return [...common, ['ready is /readyz', probe('readinessProbe') === '/readyz']];
    return [
        ...common,
        ['it stays', container.restartPolicy === 'Always'],
        ['it does not say that the app is not ready', !container.readinessProbe],
        ['it is small', requests.memory === '32Mi' && limits.memory === '64Mi'],
        ['it is itself whatever the pod is', container.securityContext.runAsUser === 65532 && (container.securityContext.seccompProfile || {}).type === 'RuntimeDefault'],
    ];
}

function accountRules(object) {
    return [['no token of the API server', object.automountServiceAccountToken === false]];
}

function namespaceRules(object) {
    return [['Pod Security is restricted', (object.metadata.labels || {})['pod-security.kubernetes.io/enforce'] === 'restricted']];
}

function serviceRules(object) {
    return [
        ['it is inside the cluster', !object.spec.type || object.spec.type === 'ClusterIP'],
        ['each port says its protocol', object.spec.ports.every((port) => port.appProtocol && port.name)],
    ];
}

// An empty or absent peer or port list means "all" to Kubernetes.
function networkRules(object) {
    const closed = (rule) => (rule.from || []).length > 0 && (rule.ports || []).length > 0 &&
        rule.from.every((peer) => Object.values(peer).every((selector) => Object.keys(selector.matchLabels || {}).length > 0));
    return [
        ['each way in names who and where', (object.spec.ingress || []).every(closed)],
        ['there is no way out', !object.spec.egress],
    ];
}

const BY_KIND = {
    Namespace: namespaceRules,
    NetworkPolicy: networkRules,
    Service: serviceRules,
    ServiceAccount: accountRules,
};

// broken rules of one object, as text.
function broken(object) {
    const rules = [
        ['it is not a role', !/Role/.test(object.kind)],
        ['it carries our name', object.kind === 'Namespace' || object.kind === 'ConfigMap' || (object.metadata.labels || {})['app.kubernetes.io/name'] === 'spangraph' ||
            (object.metadata.labels || {})['spangraph/sidecar'] === 'true'],
        ['no wildcard', !/"\*"/.test(JSON.stringify(object))],
        ...(BY_KIND[object.kind] ? BY_KIND[object.kind](object) : []),
    ];
    for (const pod of podSpecs(object)) {
        rules.push(...podRules(pod));
        for (const [containers, isSidecar] of [[pod.initContainers || [], true], [pod.containers, false]])
            for (const container of containers) {
                rules.push(...containerRules(container));
                if (isOurs(container)) rules.push(...ourRules(container, isSidecar));
            }
    }
    return rules.filter(([, holds]) => !holds).map(([rule]) => rule);
}

// broken rules of an app and its sidecars: one each, first of all, and with what
// it mounts.  For folders that hold apps, not the gateway.
function brokenSidecars(objects) {
    const out = [];
    for (const object of objects.filter(({ kind }) => kind === 'Deployment')) {
        const pod = object.spec.template.spec;
        const all = [...(pod.initContainers || []), ...pod.containers];
        const ports = all.flatMap((container) => (container.ports || []).map((port) => port.containerPort));
        if (all.filter(isOurs).length !== 1) out.push(`${object.metadata.name} has not one sidecar`);
        if (!isOurs(all[0])) out.push(`something of ${object.metadata.name} is before its sidecar`);
        if (new Set(ports).size !== ports.length) out.push('two containers at one port');
        out.push(...brokenVolumes(objects, object));
    }
    return out;
}

// Ports are named once, in the pod; Services and policies go by those names.
function brokenPorts(objects, pod) {
    const there = new Set(pod.containers.flatMap((container) => container.ports.map((port) => port.name)));
    const used = objects.flatMap(({ kind, spec }) => {
        if (kind === 'Service') return spec.ports.map((port) => port.targetPort);
        if (kind === 'NetworkPolicy') return (spec.ingress || []).flatMap((rule) => rule.ports.map((port) => port.port));
        return [];
    });
    return used.filter((port) => !there.has(port)).map((port) => `no port ${port}`);
}

function brokenVolumes(objects, set) {
    const pod = set.spec.template.spec;
    const claims = (set.spec.volumeClaimTemplates || []).map((claim) => claim.metadata.name);
    const there = new Set([...pod.volumes.map((volume) => volume.name), ...claims]);
    const maps = objects.filter((object) => object.kind === 'ConfigMap').map((map) => map.metadata.name);
    const out = [];
    for (const { volumeMounts: mounts = [] } of [...(pod.initContainers || []), ...pod.containers]) {
        for (const mount of mounts) if (!there.has(mount.name)) out.push(`no volume ${mount.name}`);
        if (new Set(mounts.map((mount) => mount.mountPath)).size !== mounts.length) out.push('two volumes at one path');
    }
    for (const { configMap } of pod.volumes)
        if (configMap && !maps.includes(configMap.name)) out.push(`no ConfigMap ${configMap.name}`);
    return out;
}

// broken rules between objects: one writer, a default deny where policies are,
// and selectors, accounts, ports and volumes that meet.
function brokenTogether(objects) {
    const of = (kind) => objects.filter((object) => object.kind === kind);
    const isDeny = ({ spec }) => Object.keys(spec.podSelector).length === 0 && spec.policyTypes.length === 2 && !spec.ingress;
    const out = [];
    if (of('StatefulSet').length !== 1) out.push('not one StatefulSet');
    if (of('NetworkPolicy').length > 0 && !of('NetworkPolicy').some(isDeny)) out.push('policies without a default deny');
    for (const set of of('StatefulSet')) {
        const { metadata, spec: pod } = set.spec.template;
        const selects = (selector) => Object.entries(selector).every(([key, value]) => metadata.labels[key] === value);
        if (set.spec.replicas !== 1) out.push('more than one writer');
        if (!selects(set.spec.selector.matchLabels)) out.push('the StatefulSet does not select its pods');
        for (const service of of('Service')) if (!selects(service.spec.selector)) out.push(`Service ${service.metadata.name} selects no pod`);
        if (!of('ServiceAccount').some((account) => account.metadata.name === pod.serviceAccountName)) out.push('no such ServiceAccount');
        out.push(...brokenPorts(objects, pod), ...brokenVolumes(objects, set));
    }
    return out;
}

module.exports = { broken, brokenTogether, brokenSidecars };
