'use strict';
// compare.js EXPECTED ACTUAL: is what a command printed what a document shows?
//
// "..." stands for any text of a line, and alone on a line for any lines; a
// date, a time or a Unix time for any other; blanks for any blanks, because
// columns are as wide as what is in them.  Prints both when they differ.
const fs = require('fs');

function plain(text) {
    return text
        .replace(/\x1b\[[0-9;]*m/g, '')
        .replace(/\d{4}-\d\d-\d\d/g, 'DATE')
        .replace(/\d\d:\d\d(:\d\d(\.\d+)?)?Z/g, 'TIME')
        .replace(/\b1[78]\d{8}\b/g, 'UNIX')
        .split('\n').map((line) => line.replace(/[ \t]+/g, ' ').trim()).join('\n').trim();
}

function pattern(expected) {
    const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const lines = plain(expected).split('\n').map((line) =>
        line === '...' ? '(?:[^\\n]*\\n)*?' : line.split('...').map(escape).join('[^\\n]*') + '\\n');
    return new RegExp(`^${lines.join('')}$`);
}

const [expected, actual] = process.argv.slice(2).map((file) => fs.readFileSync(file, 'utf8'));
if (!pattern(expected).test(plain(actual) + '\n')) {
    console.log(`--- shown\n${expected.trimEnd()}\n--- printed\n${actual.trimEnd()}`);
    process.exit(1);
}
