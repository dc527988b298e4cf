// Write a SCIP index of one file by hand, as a compiler's indexer would.
//
//     node scip.js PATH SYMBOL DEFINITION REFERENCE... >INDEX
//
// PATH is the document's; DEFINITION and each REFERENCE are LINE:COLUMN, from 1
// and from 0 in UTF-16 units, of SYMBOL's name.  Protocol buffers: a field is its
// number and kind, then an integer or a length and bytes.
const varint = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...varint(n >>> 7)]);
const number = (field, n) => [...varint(field << 3), ...varint(n)];
const bytes = (field, content) => {
    const list = typeof content === 'string' ? [...Buffer.from(content)] : content;
    return [...varint((field << 3) | 2), ...varint(list.length), ...list];
};

const [path, symbol, ...places] = process.argv.slice(2);
const name = symbol.match(/([A-Za-z0-9_]+)(\(\))?\.?$/)[1];

// Occurrence: range 1 (packed), symbol 2, symbol_roles 3 (1: definition).
const occurrence = (place, index) => {
    const [line, column] = place.split(':').map(Number);
    const range = [line - 1, column, column + name.length].flatMap(varint);
    return bytes(2, [...bytes(1, range), ...bytes(2, symbol), ...number(3, index === 0 ? 1 : 8)]);
};
// Document: relative_path 1, occurrences 2, language 4, position_encoding 6 (2: UTF-16).
const document = [...bytes(1, path), ...places.flatMap(occurrence), ...bytes(4, 'typescript'), ...number(6, 2)];
// Index: metadata 1 (tool_info 2 (name 1), project_root 3), documents 2.
const metadata = [...bytes(2, bytes(1, 'by hand')), ...bytes(3, 'file:///')];
process.stdout.write(Buffer.from([...bytes(1, metadata), ...bytes(2, document)]));
