// The bill of materials of a program, as SPDX 2.3 JSON on standard output: the
// Debian packages of its libraries, and the npm packages compiled into it.
//
//   node deploy/package/sbom.js PROGRAM
'use strict';

const { execFileSync } = require('child_process');
const { createHash } = require('crypto');
const { readFileSync } = require('fs');
const path = require('path');

const [program] = process.argv.slice(2);
const tree = path.join(__dirname, '../..');
const version = execFileSync(program, ['version'], { encoding: 'utf8' }).trim().split(' ').pop();
const created = new Date(1000 * Number(process.env.SOURCE_DATE_EPOCH || Math.floor(Date.now() / 1000)))
  .toISOString().replace(/\.\d+Z$/, 'Z');
const checksum = createHash('sha256').update(readFileSync(program)).digest('hex');
const id = (text) => `SPDXRef-${text.replace(/[^A-Za-z0-9.-]+/g, '-')}`;

const packages = [{
  SPDXID: 'SPDXRef-spangraph',
  name: 'spangraph',
  versionInfo: version,
  downloadLocation: 'NOASSERTION',
  filesAnalyzed: false,
  licenseConcluded: 'Apache-2.0',
  licenseDeclared: 'Apache-2.0',
  copyrightText: 'NOASSERTION',
  checksums: [{ algorithm: 'SHA256', checksumValue: checksum }],
}];
const relationships = [{ spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: 'SPDXRef-spangraph' }];

function add(kind, name, versionInfo, license, purl, relation, checksums) {
  const SPDXID = id(`${kind}-${name}-${versionInfo}`);
  packages.push({
    SPDXID, name, versionInfo,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared: license || 'NOASSERTION',
    copyrightText: 'NOASSERTION',
    ...(checksums && { checksums }),
    externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }],
  });
  relationships.push({ spdxElementId: 'SPDXRef-spangraph', relationshipType: relation, relatedSpdxElement: SPDXID });
}

const libraries = execFileSync(path.join(tree, 'deploy/package/libraries.sh'), ['--all', program], { encoding: 'utf8' });
for (const line of libraries.trim().split('\n')) {
  const [name, number] = line.split('\t');
  add('deb', name, number, null, `pkg:deb/debian/${name}@${encodeURIComponent(number)}`, 'DYNAMIC_LINK');
}
const archives = execFileSync(path.join(tree, 'deploy/package/archives.sh'), [program], { encoding: 'utf8' }).split('\n').filter(Boolean);
if (archives.length) {
  for (const line of execFileSync('dpkg-query', ['-W', '-f', '${Package}\t${Version}\n', ...archives], { encoding: 'utf8' }).trim().split('\n')) {
    const [name, number] = line.split('\t');
    add('deb', name, number, null, `pkg:deb/debian/${name}@${encodeURIComponent(number)}`, 'STATIC_LINK');
  }
}
// The parsers are what their folder asks for; of the page, all but the bundler and
// what has only types.
const compiled = [
  ['index/grammars', (name, direct) => direct.has(name)],
  ['ui', (name) => name && !/esbuild/.test(name) && !name.endsWith('-types')],
];
for (const [folder, isIn] of compiled) {
  const lock = JSON.parse(readFileSync(path.join(tree, folder, 'package-lock.json'), 'utf8'));
  const direct = new Set(Object.keys(lock.packages[''].dependencies));
  for (const [where, one] of Object.entries(lock.packages)) {
    const name = where.replace(/^node_modules\//, '');
    if (!isIn(name, direct)) continue;
    const [algorithm, digest] = (one.integrity || '').split('-');
    add('npm', name, one.version, one.license, `pkg:npm/${name.replace('@', '%40')}@${one.version}`, 'STATIC_LINK',
      algorithm === 'sha512' ? [{ algorithm: 'SHA512', checksumValue: Buffer.from(digest, 'base64').toString('hex') }] : undefined);
  }
}

console.log(JSON.stringify({
  spdxVersion: 'SPDX-2.3',
  dataLicense: 'CC0-1.0',
  SPDXID: 'SPDXRef-DOCUMENT',
  name: `spangraph-${version}`,
  documentNamespace: `urn:spangraph:sbom:${version}:${checksum}`,
  creationInfo: { created, creators: ['Tool: spangraph-sbom'] },
  packages,
  relationships,
}, null, 2));
