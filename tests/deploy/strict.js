'use strict';
// Validates Kubernetes objects against the schemas of the API, strictly: what no
// schema knows is an error, as in the API server's strict field validation.
//
// The schemas come compiled to functions that take unknown fields.  So they are
// given a proxy that notes which fields they look at: a field that none looked
// at, in an object that was not walked as a map, is unknown.
const path = require('path');

const CORE = 'kubernetes-models/_schemas/IoK8sApi';
const MONITORING = '@kubernetes-models/prometheus-operator/_schemas/MonitoringCoreosComV1';
const SCHEMAS = {
    'v1 ConfigMap': CORE + 'CoreV1ConfigMap',
    'v1 Namespace': CORE + 'CoreV1Namespace',
    'v1 Secret': CORE + 'CoreV1Secret',
    'v1 Service': CORE + 'CoreV1Service',
    'v1 ServiceAccount': CORE + 'CoreV1ServiceAccount',
    'apps/v1 Deployment': CORE + 'AppsV1Deployment',
    'apps/v1 StatefulSet': CORE + 'AppsV1StatefulSet',
    'networking.k8s.io/v1 NetworkPolicy': CORE + 'NetworkingV1NetworkPolicy',
    'monitoring.coreos.com/v1 PodMonitor': MONITORING + 'PodMonitor',
    'monitoring.coreos.com/v1 PrometheusRule': MONITORING + 'PrometheusRule',
    'monitoring.coreos.com/v1 ServiceMonitor': MONITORING + 'ServiceMonitor',
};

function watch(value, seen) {
    if (value === null || typeof value !== 'object') return value;
    const note = { value, fields: new Set(), isMap: Array.isArray(value), children: new Map() };
    seen.push(note);
    return new Proxy(value, {
        get(target, key) {
            if (typeof key === 'string') note.fields.add(key);
            const child = target[key];
            if (child === null || typeof child !== 'object') return child;
            if (!note.children.has(key)) note.children.set(key, { proxy: null });
            const slot = note.children.get(key);
            if (!slot.proxy) {
                slot.seen = [];
                slot.proxy = watch(child, slot.seen);
            }
            return slot.proxy;
        },
        ownKeys(target) {
            note.isMap = true;
            return Reflect.ownKeys(target);
        },
    });
}

function unknownFields(note, where, out) {
    for (const key of Object.keys(note.value)) {
        const child = note.children.get(key);
        if (!note.isMap && !note.fields.has(key)) out.push(`${where}/${key}: unknown field`);
        else if (child) unknownFields(child.seen[0], `${where}/${key}`, out);
    }
}

// errors of one object, as text; empty when it is valid.
function validate(object) {
    const name = SCHEMAS[`${object.apiVersion} ${object.kind}`];
    if (!name) return [`${object.apiVersion} ${object.kind}: no schema`];
    const { validate: check } = require(path.join(process.env.NODE_PATH, name + '.js'));
    const seen = [];
    const out = [];
    if (!check(watch(object, seen)))
        for (const error of check.errors) out.push(`${error.instancePath}: ${error.message || error.keyword} ${JSON.stringify(error.params)}`);
    unknownFields(seen[0], '', out);
    return out;
}

module.exports = { validate };
