"""What clang says about the calls of a directory of C or C++.

    clang_truth.py DIRECTORY SOURCES... -- FLAGS...

Each of SOURCES (paths in DIRECTORY; `a/*.c` is all that match) is parsed with
FLAGS.  Prints `path:line:col <tab> path:line,... <tab> name` as compare.py
reads it, the place `-` for what is not in the directory.

A function stands where it is defined, in whatever source that is; where none
of them defines it, where it is declared.  A macro with parameters is called,
too, and stands where it is defined.  Calls of values (pointers to functions)
are no calls, nor are those that only the text of a macro has.
"""

import glob
import os
import sys

from clang import cindex

Kind = cindex.CursorKind
FUNCTIONS = {
    Kind.FUNCTION_DECL,
    Kind.CXX_METHOD,
    Kind.CONSTRUCTOR,
    Kind.DESTRUCTOR,
    Kind.CONVERSION_FUNCTION,
    Kind.FUNCTION_TEMPLATE,
}
TRANSPARENT = {Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR}


class Truth:
    def __init__(self, root):
        self.root = os.path.realpath(root)
        self.paths, self.lines, self.seen = {}, {}, set()
        self.defined, self.declared = {}, {}
        self.calls, self.macros = {}, {}
        self.bodies = set()  # lines inside of functions

    def relative(self, file):
        if file is None:
            return None
        if file.name not in self.paths:
            full = os.path.realpath(os.path.join(self.root, file.name))
            inside = full.startswith(self.root + os.sep)
            self.paths[file.name] = os.path.relpath(full, self.root) if inside else None
        return self.paths[file.name]

    def place(self, location):
        """Where it is written: in the argument of a macro, there."""
        file, line, column = cindex.c_object_p(), cindex.c_uint(), cindex.c_uint()
        offset = cindex.c_uint()
        cindex.conf.lib.clang_getFileLocation(
            location,
            cindex.byref(file),
            cindex.byref(line),
            cindex.byref(column),
            cindex.byref(offset),
        )
        path = self.relative(cindex.File(file)) if file else None
        return path and (path, line.value, column.value - 1)

    def is_written(self, place, name):
        path, line, column = place
        if path not in self.lines:
            with open(os.path.join(self.root, path), "rb") as file:
                self.lines[path] = file.read().split(b"\n")
        return self.lines[path][line - 1].startswith(name.encode(), column)

    def note_function(self, cursor):
        where = self.place(cursor.location)
        if where:
            held = self.defined if cursor.is_definition() else self.declared
            held.setdefault(cursor.get_usr(), set()).add(f"{where[0]}:{where[1]}")

    def note_call(self, location, target):
        where = self.place(location)
        if where and self.is_written(where, target.spelling):
            is_ours = self.place(target.location) is not None
            self.calls.setdefault(
                where, (target.get_usr(), target.spelling, is_ours)
            )

    def call(self, cursor):
        callee = next(cursor.get_children(), None)
        while callee is not None and callee.kind in TRANSPARENT:
            callee = next(callee.get_children(), None)
        if callee is None or callee.kind not in (
            Kind.DECL_REF_EXPR,
            Kind.MEMBER_REF_EXPR,
        ):
            return
        target = callee.referenced
        if target is None or target.kind not in FUNCTIONS:
            return
        if cursor.referenced is not None and cursor.referenced != target:
            return  # operator() of what stands there
        template = cindex.conf.lib.clang_getSpecializedCursorTemplate(target)
        if template is not None and template.kind in FUNCTIONS:
            target = template
        self.note_call(callee.location, target)

    def walk(self, cursor):
        for child in cursor.get_children():
            if child.kind in FUNCTIONS:
                self.note_function(child)
            elif child.kind == Kind.CALL_EXPR:
                self.call(child)
            elif child.kind == Kind.COMPOUND_STMT:
                self.note_body(child)
            self.walk(child)

    def note_body(self, cursor):
        where = self.place(cursor.location)
        if where:
            lines = range(where[1] + 1, cursor.extent.end.line + 1)
            self.bodies.update((where[0], line) for line in lines)

    def unit(self, unit):
        fresh = set()
        for cursor in unit.cursor.get_children():
            where = self.place(cursor.location)
            if not where:
                continue
            if cursor.kind == Kind.MACRO_DEFINITION:
                continue
            if cursor.kind == Kind.MACRO_INSTANTIATION:
                self.macro(cursor)
                continue
            # Of a header the same is said by each source that includes it.
            key = (where[0], cursor.extent.start.offset, cursor.extent.end.offset)
            if key in self.seen:
                continue
            fresh.add(key)
            if cursor.kind in FUNCTIONS:
                self.note_function(cursor)
            self.walk(cursor)
        self.seen |= fresh

    def macro(self, cursor):
        target = cursor.referenced
        where = target and self.place(target.location)
        if not where:
            return
        at = self.place(cursor.location)
        if at and self.is_written(where, cursor.spelling + "("):
            place = f"{where[0]}:{where[1]}"
            self.macros.setdefault(at, (place, cursor.spelling))

    def show(self):
        rows = {}
        for at, (usr, name, is_ours) in self.calls.items():
            places = self.defined.get(usr) or self.declared.get(usr)
            if places or not is_ours:
                rows[at] = ",".join(sorted(places or {"-"})), name
        for at, row in self.macros.items():
            if at[:2] in self.bodies:
                rows[at] = row
        for (path, line, column), (places, name) in sorted(rows.items()):
            print(f"{path}:{line}:{column}", places, name, sep="\t")


def main():
    split = sys.argv.index("--")
    root, flags = sys.argv[1], sys.argv[split + 1 :]
    sources = set()
    for pattern in sys.argv[2:split]:
        sources.update(glob.glob(pattern, root_dir=root, recursive=True))
    truth = Truth(root)
    index = cindex.Index.create()
    os.chdir(root)
    failed = 0
    for source in sorted(sources):
        unit = index.parse(
            source,
            flags,
            options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD,
        )
        errors = [d for d in unit.diagnostics if d.severity >= 3]
        failed += bool(errors)
        for error in errors[:2]:
            print(f"{source}: {error}", file=sys.stderr)
        truth.unit(unit)
    print(f"{len(sources)} sources, {failed} with errors", file=sys.stderr)
    truth.show()


main()
