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
    const probe = (name) => ((container[name] || {}).httpGet || {}).path;
    const tag = /^[^@]+:([A-Za-z0-9_.-]+)$/.exec(container.image.replace(/@sha256:[0-9a-f]{64}$/, ''));
    return [
        ['no privilege', !context.privileged && context.allowPrivilegeEscalation === false],
        ['its root is read-only', context.readOnlyRootFilesystem === true],
        ['it has no capability', JSON.stringify(capabilities) === '{"drop":["ALL"]}'],
        ['it asks for CPU and memory', requests.cpu && requests.memory],
        ['it is limited in CPU and memory', limits.cpu && limits.memory],
        ['ready is /readyz', probe('readinessProbe') === '/readyz' && probe('startupProbe') === '/readyz'],
        ['alive is /healthz', probe('livenessProbe') === '/healthz'],
        ['its image has a version', tag && tag[1] !== 'latest'],
        ['no port of the host', (container.ports || []).every((port) => !port.hostPort)],
        ['no secret in its environment', (container.env || []).every((env) => !(env.valueFrom || {}).secretKeyRef)],
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
        ['it carries our name', object.kind === 'Namespace' || object.kind === 'ConfigMap' || (object.metadata.labels || {})['app.kubernetes.io/name'] === 'spangraph'],
        ['no wildcard', !/"\*"/.test(JSON.stringify(object))],
        ...(BY_KIND[object.kind] ? BY_KIND[object.kind](object) : []),
    ];
    for (const pod of podSpecs(object)) {
        rules.push(...podRules(pod));
        for (const container of [...(pod.initContainers || []), ...pod.containers]) rules.push(...containerRules(container));
    }
    return rules.filter(([, holds]) => !holds).map(([rule]) => rule);
}

// broken rules between objects: a default deny where policies are, and ports,
// selectors, volumes and names that meet.
function brokenTogether(objects) {
    const of = (kind) => objects.filter((object) => object.kind === kind);
    const out = [];
    const policies = of('NetworkPolicy');
    const isDeny = ({ spec }) => Object.keys(spec.podSelector).length === 0 && spec.policyTypes.length === 2 && !spec.ingress;
    if (policies.length > 0 && !policies.some(isDeny)) out.push('policies without a default deny');
    for (const set of of('StatefulSet')) {
        const pod = set.spec.template.spec;
        const labels = set.spec.template.metadata.labels;
        const ports = new Set(pod.containers.flatMap((container) => container.ports.map((port) => port.name)));
        const volumes = new Set([...pod.volumes, ...(set.spec.volumeClaimTemplates || []).map((claim) => claim.metadata)].map((volume) => volume.name));
        const selects = (selector) => Object.entries(selector).every(([key, value]) => labels[key] === value);
        if (set.spec.replicas !== 1) out.push('more than one writer');
        if (!selects(set.spec.selector.matchLabels)) out.push('the StatefulSet does not select its pods');
        for (const service of of('Service')) {
            if (!selects(service.spec.selector)) out.push(`Service ${service.metadata.name} selects no pod`);
            for (const port of service.spec.ports) if (!ports.has(port.targetPort)) out.push(`no port ${port.targetPort}`);
        }
        for (const policy of policies)
            for (const rule of policy.spec.ingress || [])
                for (const port of rule.ports) if (!ports.has(port.port)) out.push(`NetworkPolicy: no port ${port.port}`);
        for (const container of pod.containers) {
            for (const mount of container.volumeMounts) if (!volumes.has(mount.name)) out.push(`no volume ${mount.name}`);
            const paths = container.volumeMounts.map((mount) => mount.mountPath);
            if (new Set(paths).size !== paths.length) out.push('two volumes at one path');
        }
        for (const volume of pod.volumes)
            if (volume.configMap && !of('ConfigMap').some((map) => map.metadata.name === volume.configMap.name)) out.push(`no ConfigMap ${volume.configMap.name}`);
        if (!of('ServiceAccount').some((account) => account.metadata.name === pod.serviceAccountName)) out.push('no such ServiceAccount');
    }
    return out;
}

module.exports = { broken, brokenTogether };
