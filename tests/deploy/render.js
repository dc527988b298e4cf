'use strict';
// Renders the part of kustomize that deploy/k8s uses, so that the test needs no
// kustomize: resources, components, namespace, JSON 6902 and strategic merge
// patches with a target, images and configMapGenerator with its content hash.  Whatever it does not
// know is an error, never skipped.  Where kustomize is at hand the test compares
// the two.
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const yaml = require('js-yaml');

const KNOWN = new Set(['apiVersion', 'kind', 'resources', 'components', 'namespace', 'patches',
    'images', 'configMapGenerator']);
const CLUSTER_WIDE = new Set(['Namespace']);

function documents(file) {
    return yaml.loadAll(fs.readFileSync(file, 'utf8')).filter((object) => object !== null);
}

function onlyKeys(object, allowed, where) {
    for (const key of Object.keys(object))
        if (!allowed.includes(key)) throw new Error(`${where}: ${key} is not supported here`);
}

// walk to the parent of a JSON pointer's last step.
function locate(object, pointer, where) {
    const steps = pointer.split('/').slice(1).map((s) => s.replace(/~1/g, '/').replace(/~0/g, '~'));
    const last = steps.pop();
    for (const step of steps) {
        object = object[step];
        if (object === null || typeof object !== 'object') throw new Error(`${where}: no ${pointer}`);
    }
    return { parent: object, last };
}

function applyOperation(object, operation, where) {
    onlyKeys(operation, ['op', 'path', 'value'], where);
    const { parent, last } = locate(object, operation.path, where);
    const value = structuredClone(operation.value);
    if (operation.op === 'replace') {
        if (!(last in parent)) throw new Error(`${where}: nothing to replace at ${operation.path}`);
        parent[last] = value;
    } else if (operation.op === 'add') {
        if (!Array.isArray(parent)) parent[last] = value;
        else if (last === '-') parent.push(value);
        else throw new Error(`${where}: adding at an index is not supported here`);
    } else {
        throw new Error(`${where}: op ${operation.op} is not supported here`);
    }
}

// What tells the items of a list apart, as far as our patches have lists.
const MERGE_KEYS = { initContainers: 'name', containers: 'name', volumes: 'name', ports: 'containerPort', volumeMounts: 'mountPath', env: 'name' };

// A strategic merge: what is new comes first, as with kustomize.
function merge(base, patch, where) {
    for (const [key, value] of Object.entries(patch)) {
        if (Array.isArray(value) && MERGE_KEYS[key] && base[key]) {
            const id = MERGE_KEYS[key];
            const fresh = [];
            for (const item of value) {
                const old = base[key].find((one) => one[id] === item[id]);
                if (old) merge(old, item, where);
                else fresh.push(structuredClone(item));
            }
            base[key].unshift(...fresh);
        } else if (value !== null && typeof value === 'object' && !Array.isArray(value) && base[key]) {
            merge(base[key], value, where);
        } else if (value === null || key.startsWith('$')) {
            throw new Error(`${where}: ${key} is not supported here`);
        } else {
            base[key] = structuredClone(value);
        }
    }
}

function isTarget(object, target) {
    const [label, value] = (target.labelSelector || '').split('=');
    return object.kind === target.kind && (!target.name || object.metadata.name === target.name) &&
        (!label || (object.metadata.labels || {})[label] === value);
}

function applyPatch(objects, patch, folder) {
    const where = path.join(folder, patch.path || '');
    onlyKeys(patch, ['path', 'target'], where);
    onlyKeys(patch.target, ['kind', 'name', 'labelSelector'], where);
    const change = yaml.load(fs.readFileSync(where, 'utf8'));
    for (const object of objects.filter((one) => isTarget(one, patch.target)))
        if (Array.isArray(change)) for (const operation of change) applyOperation(object, operation, where);
        else merge(object, { spec: change.spec }, where);
}

// As kustomize does it, which leaves the name out of the hash (it is empty there).
function hashSuffix(configMap) {
    const text = JSON.stringify({ data: configMap.data, kind: 'ConfigMap', name: '' })
        .replace(/[<>&\u2028\u2029]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
    const change = { 0: 'g', 1: 'h', 3: 'k', a: 'm', e: 't' };
    const hex = crypto.createHash('sha256').update(text).digest('hex').slice(0, 10);
    return [...hex].map((c) => change[c] || c).join('');
}

function generate(spec, folder) {
    onlyKeys(spec, ['name', 'files'], folder);
    const data = {};
    for (const file of [...spec.files].sort()) data[path.basename(file)] = fs.readFileSync(path.join(folder, file), 'utf8');
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: spec.name }, data, generated: true };
}

function podSpecs(object) {
    return object.spec && object.spec.template && object.spec.template.spec ? [object.spec.template.spec] : [];
}

function setImages(objects, images) {
    for (const image of images)
        for (const object of objects)
            for (const pod of podSpecs(object))
                for (const container of [...(pod.initContainers || []), ...pod.containers]) {
                    const [name, tag] = container.image.split(':');
                    if (name === image.name) container.image = `${image.newName || name}:${image.newTag || tag}`;
                }
}

function accumulate(folder, objects) {
    const file = path.join(folder, 'kustomization.yaml');
    const spec = yaml.load(fs.readFileSync(file, 'utf8'));
    for (const key of Object.keys(spec))
        if (!KNOWN.has(key)) throw new Error(`${file}: ${key} is not supported here`);
    for (const resource of spec.resources || []) {
        const from = path.join(folder, resource);
        objects.push(...(fs.statSync(from).isDirectory() ? accumulate(from, []) : documents(from)));
    }
    for (const one of spec.configMapGenerator || []) objects.push(generate(one, folder));
    for (const component of spec.components || []) accumulate(path.join(folder, component), objects);
    for (const patch of spec.patches || []) applyPatch(objects, patch, folder);
    if (spec.namespace)
        for (const object of objects) {
            if (CLUSTER_WIDE.has(object.kind)) object.metadata.name = spec.namespace;
            else object.metadata.namespace = spec.namespace;
        }
    setImages(objects, spec.images || []);
    return objects;
}

// Gives generated ConfigMaps their hash, and volumes the new name.
function addHashes(objects) {
    for (const map of objects.filter((object) => object.generated)) {
        delete map.generated;
        const plain = map.metadata.name;
        map.metadata.name = `${plain}-${hashSuffix(map)}`;
        for (const object of objects)
            for (const pod of podSpecs(object))
                for (const volume of pod.volumes || [])
                    if (volume.configMap && volume.configMap.name === plain) volume.configMap.name = map.metadata.name;
    }
}

function render(folder) {
    const objects = accumulate(folder, []);
    const seen = new Set();
    addHashes(objects);
    for (const object of objects) {
        const id = `${object.kind}/${object.metadata.name}`;
        if (seen.has(id)) throw new Error(`${folder}: ${id} twice`);
        seen.add(id);
    }
    return objects;
}

module.exports = { render, documents, podSpecs };
