'use strict';
// Makes of a document one bash script whose lines are the document's: what is
// no command is an empty line.  So a command that fails says the line it stands
// on, and the shell reads what a reader would type.

// Lines that are not run, and why.  They are said by name.
const SKIPPED = {
    make: 'this test runs what it built',
    'make demo': 'tests/e2e/test_demo.sh runs it',
    'make test': 'it is what runs this',
};

function isCommand(line) {
    return line.trim() !== '' && !line.trim().startsWith('#');
}

function addShell(block, out, made) {
    let ran = false;
    block.lines.forEach((text, index) => {
        const line = block.line + 1 + index;
        const why = SKIPPED[text.trim()];
        if (why) made.skipped.push({ line, text: text.trim(), why });
        else ran ||= isCommand(text);
        out[line] = why ? ':' : text;
    });
    if (ran) made.ran++;
}

function addService(block, out, made) {
    const commands = block.lines.filter(isCommand);
    if (commands.length !== 1) throw new Error(`${block.line}: a service is one command`);
    const line = block.line + 1 + block.lines.indexOf(commands[0]);
    out[line] = `__stop; { exec ${commands[0]}; } >"$__log" 2>&1 </dev/null & __started $!`;
    made.ran++;
}

// The commands of a console block: what follows "$ ", with the lines that a
// backslash continues, and what each prints.
function commandsOf(block) {
    const commands = [];
    block.lines.forEach((text, index) => {
        const last = commands[commands.length - 1];
        if (text.startsWith('$ ')) commands.push({ line: block.line + 1 + index, source: [text.slice(2)], output: [] });
        else if (!last) throw new Error(`${block.line}: a console block begins with a command`);
        else if (!last.output.length && last.source[last.source.length - 1].endsWith('\\')) last.source.push(text.replace(/^> /, ''));
        else last.output.push(text);
    });
    for (const { line, output } of commands)
        if (output.length && output.every((text) => text === '...')) throw new Error(`${line}: an output of ... alone shows nothing`);
    return commands;
}

function addConsole(block, out, made) {
    const commands = commandsOf(block);
    commands.forEach(({ line, source, output }, index) => {
        const isAsked = commands[index + 1]?.source[0] === 'echo $?';
        const after = line + source.length;
        const [first, ...rest] = source[0] === 'echo $?' ? ['echo $__last'] : source;
        out[line] += `__status=0; { ${first}`;
        rest.forEach((text, k) => { out[line + 1 + k] = text; });
        out[after] = `} >"$__out" 2>&1 || __status=$?; __compare ${line} ${isAsked ? 'any' : 'zero'}; `;
        made.expected.push({ line, text: output.join('\n') });
    });
    made.ran++;
}

// A file that the document shows and the reader is to save.
function addSaved(block, out) {
    out[block.line] = `cat >${block.words.save} <<'__END_${block.line}__'`;
    block.lines.forEach((text, index) => { out[block.line + 1 + index] = text; });
    out[block.end] = `__END_${block.line}__`;
}

// {text, expected: [{line, text}], skipped: [{line, text, why}], ran}
function scriptOf(doc, length) {
    const out = new Array(length + 2).fill('');
    const made = { expected: [], skipped: [], ran: 0 };
    for (const setup of doc.setup) out[setup.line] = setup.text;
    for (const block of doc.blocks) {
        if (block.words.save) addSaved(block, out);
        else if (block.words.example) continue;
        else if (block.kind === 'console') addConsole(block, out, made);
        else if (block.kind === 'sh' && block.words.service) addService(block, out, made);
        else if (block.kind === 'sh') addShell(block, out, made);
    }
    out[1] = '. "$DOCS_TOOLS/prelude.sh"';
    made.text = out.slice(1).join('\n') + '\n';
    return made;
}

module.exports = { scriptOf, isCommand };
