'use strict';
// What a document holds that can be tried: its fenced blocks, code in its
// lines, links, and what a comment prepares.  The convention is in
// CONTRIBUTING.md.
//
// A block is {kind, words, line, end, lines}: |line| is that of the opening
// fence, counted from 1, |end| that of the closing one.

const KINDS = {
    sh: ['example', 'service'],
    console: ['example'],
    yaml: ['save', 'spangraph', 'collector', 'kustomize'],
    json: ['save'],
    toml: ['save'],
    text: ['save'],
};

// The words of an info string: "yaml save=x.yaml spangraph".
function wordsOf(info) {
    const [kind, ...rest] = info.trim().split(/\s+/);
    const words = {};
    for (const word of rest) {
        const [name, value] = word.split('=');
        words[name] = value === undefined ? true : value;
    }
    return { kind, words };
}

function complaintOf({ kind, words }) {
    if (!KINDS[kind]) return kind ? `no block is of kind ${kind}` : 'a block that does not say of what kind it is';
    const odd = Object.keys(words).filter((word) => !KINDS[kind].includes(word));
    return odd.length ? `${odd[0]} is no word of a ${kind} block` : undefined;
}

function read(text) {
    const doc = { blocks: [], prose: [], setup: [], problems: [] };
    let block;
    text.split('\n').forEach((content, index) => {
        const line = index + 1;
        const fence = content.match(/^(\s*)```(.*)$/);
        if (block && fence && fence[2].trim() === '') {
            block.end = line;
            doc.blocks.push(block);
            block = undefined;
        } else if (block) {
            block.lines.push(content);
        } else if (fence) {
            block = { ...wordsOf(fence[2]), line, lines: [] };
            const complaint = complaintOf(block);
            if (complaint) doc.problems.push({ line, text: complaint });
            if (fence[1]) doc.problems.push({ line, text: 'a block stands at the beginning of the line' });
        } else if (content.startsWith('<!-- sh: ')) {
            doc.setup.push({ line, text: content.replace(/^<!-- sh: (.*) -->$/, '$1') });
        } else {
            if (/^ {4}\S/.test(content)) doc.problems.push({ line, text: 'code is fenced, not indented' });
            doc.prose.push({ line, text: content });
        }
    });
    if (block) doc.problems.push({ line: block.line, text: 'the block has no end' });
    return doc;
}

module.exports = { read };
