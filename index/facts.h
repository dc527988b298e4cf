/*
 * facts - what one source file says, in the terms of no language.
 *
 * An extractor (index/lang.h) walks the syntax tree of a file once and writes
 * facts; everything behind - resolving calls, finding routes, mapping services
 * - works on facts and never sees a tree.  Facts depend on nothing but the
 * bytes of the file and its language, so they are kept by git blob id and a
 * second commit parses only what changed.
 *
 *     facts_init(&facts, LANG_GO);
 *     def = facts_def(&facts, &(struct fact_def){...});   rows are appended
 *     ...
 *     facts_encode(&facts, &blob);  facts_decode(&facts, blob_str);
 *
 * Rows refer to each other by index and to text by str_id; index 0 of each
 * table is a row that means none (defs[0] stands for the file itself: the scope
 * of what is written outside of any definition).
 *
 * Expressions are kept for: calls, `new`, decorators, what is passed to calls,
 * what names are bound to, types, bases.  Anything else is EXPR_OTHER.
 *
 * Memory     Owned by the struct; facts_fini.  Text is interned per file.
 * Limits     FACTS_ROWS_MAX rows a table, FACTS_TEXT_MAX bytes of text; past
 *            it rows are dropped and FACTS_PARTIAL is set.  Strings are cut at
 *            FACT_STR_MAX.
 * Threads    None.
 */
#ifndef INDEX_FACTS_H
#define INDEX_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "base/texts.h"
#include "model/code.h"

/* A change of what extractors write: facts kept under another number are
 * extracted anew. */
enum { FACTS_VERSION = 14 };
enum {
    FACTS_ROWS_MAX = 1 << 20,
    FACTS_TEXT_MAX = 16 << 20,
    FACT_STR_MAX = 1024
};

/* Stored: never renumber. */
enum lang_id {
    LANG_NONE = 0,
    LANG_GO = 1,
    LANG_PYTHON = 2,
    LANG_JAVASCRIPT = 3,
    LANG_TYPESCRIPT = 4,
    LANG_TSX = 5,
    LANG_JAVA = 6,
    LANG_CSHARP = 7,
    LANG_RUBY = 8,
    LANG_PHP = 9,
    LANG_RUST = 10,
    LANG_C = 11,
    LANG_CPP = 12,
    LANG_KOTLIN = 13,
    LANG_PROTO = 14,  /* .proto: types, services (CODE_INTERFACE), rpcs */
    LANG_THRIFT = 15, /* the same */
    LANG_END = 16,
};

/* Bits of facts.flags. */
#define FACTS_PARTIAL   UINT32_C(1) /* syntax errors, or a limit */
#define FACTS_GENERATED UINT32_C(2)
#define FACTS_TEST      UINT32_C(4) /* by its name or place: a test file */

typedef text_id str_id; /* 0: the empty string */

/* ---- definitions ---- */

#define DEF_EXPORTED  UINT32_C(0x001)
#define DEF_DEFAULT   UINT32_C(0x002) /* `export default` */
#define DEF_STATIC    UINT32_C(0x004) /* C: seen by its file, or a macro */
#define DEF_ABSTRACT  UINT32_C(0x008) /* no body; an interface's method too */
#define DEF_LAMBDA    UINT32_C(0x010) /* no name of its own; may have a hint */
#define DEF_CTOR      UINT32_C(0x020)
#define DEF_PROPERTY  UINT32_C(0x040) /* called without parentheses */
#define DEF_TEST_CASE UINT32_C(0x080) /* the runner runs it */
#define DEF_ENUM      UINT32_C(0x100)
#define DEF_EXTENSION UINT32_C(0x200) /* Kotlin, C#: a method of |receiver| */
#define DEF_TRAIT     UINT32_C(0x400) /* mixed in: Ruby module, PHP, Rust */
#define DEF_GENERATOR UINT32_C(0x800)
#define DEF_PRIVATE   UINT32_C(0x1000) /* Java: in its file, C#: IA.F() */
#define DEF_SHARED    UINT32_C(0x2000) /* Ruby: static, and of objects too */
#define DEF_PARTIAL   UINT32_C(0x4000) /* C#: the rest stands elsewhere */
#define DEF_GENERIC   UINT32_C(0x8000) /* C#: a type with type parameters */

/*
 * CODE_FUNCTION, CODE_METHOD, CODE_TYPE, CODE_INTERFACE, CODE_CONST, CODE_VAR
 * (file level or exported), CODE_FIELD is told by binds, CODE_PACKAGE for
 * namespaces and modules that nest (C++, C#, Ruby, TypeScript, Rust `mod`).
 */
struct fact_def {
    uint8_t kind;      /* enum code_kind */
    uint32_t flags;    /* DEF_... */
    uint32_t parent;   /* def that it stands in; 0: the file */
    str_id name;       /* as written, without its parents.  A lambda: the name
                          it is bound to, or empty */
    str_id receiver;   /* type that a method written elsewhere belongs to: Go
                          `T` of `(t *T)`, Rust `impl T`, C++ `T::`, Kotlin
                          extensions */
    uint32_t type;     /* expr: declared type, or what it returns; 0: none */
    uint32_t bases_at; /* list of exprs: extends, implements, embeds.  Ruby: the
                          superclass, then modules, farthest first; a PAIR is
                          `prepend`, `extend`, or `included`: what extends who
                          includes this */
    uint32_t bases_len;
    uint32_t interfaces; /* how many of them, at the end, are told to be
                            interfaces (`implements`) */
    uint32_t marks_at; /* list of exprs: decorators, annotations, attributes */
    uint32_t marks_len;
    uint32_t line;       /* of its name, from 1 */
    uint32_t col;        /* from 0, in bytes */
    uint32_t start_line; /* with its decorators */
    uint32_t end_line;
    str_id signature; /* one line, without its body */
};

/* ---- expressions ---- */

enum expr_kind {
    EXPR_OTHER = 0, /* text `0`: parameter 0 of the lambda around, which a
                       pattern takes apart */
    EXPR_NAME,      /* text */
    EXPR_MEMBER,    /* a: object, text: member; `a.b`, `a->b`, `A::b`, `a?.b` */
    EXPR_CALL,      /* a: callee, list: arguments */
    EXPR_NEW,     /* a: type, list: arguments; also composite literals `T{}` */
    EXPR_STRING,  /* text: its value.  Ruby symbols too */
    EXPR_NUMBER,  /* text */
    EXPR_CONCAT,  /* list: parts of a template or a sum of strings */
    EXPR_LAMBDA,  /* a: def; text `=>`: of JavaScript, has no own `this` */
    EXPR_SELF,    /* this, self, $this */
    EXPR_SUPER,   /* super, base, parent */
    EXPR_ARRAY,   /* list; array, tuple, set */
    EXPR_OBJECT,  /* list of EXPR_PAIR; object, map, hash */
    EXPR_PAIR,    /* text: key, a: value; keyword arguments, too.  A key that
                     is an expression: list of one, text empty */
    EXPR_INDEX,   /* a: object, list: indices */
    EXPR_GENERIC, /* a: type, list: its arguments.  Slices, arrays, pointers:
                     a names `[]`, `map`, `*`.  Kotlin's functions: `func`,
                     what they return, a pair `this`, their parameters */
    EXPR_ALT,     /* list: one of them; `a or b`, `c ? a : b`, `A | B` */
    EXPR_CAST,    /* a: value, list: type; Python: none of a slice */
    EXPR_ELEM,    /* a: collection that is iterated; text `key` for its keys */
    EXPR_AWAIT,   /* a */
    EXPR_REGEX,   /* text */
    EXPR_SPREAD,  /* a; `...a`, `*a`, `**a`, `&block` */
    EXPR_KIND_END,
};

struct fact_expr {
    uint8_t kind;
    bool is_symbol; /* a string that is a symbol of Ruby or a character of
                       Java; a member that is a method, Java's `T::m`; a name
                       of PHP that begins outside all namespaces, `\A` */
    uint32_t scope; /* def it stands in */
    str_id text;
    uint32_t a;
    uint32_t list_at; /* in facts.lists: expr indices */
    uint32_t list_len;
    uint32_t line; /* calls, new: of the last name of the callee, as compilers
                      and SCIP report it; else of its first byte */
    uint32_t col;
};

/* ---- names bound to values ---- */

enum bind_kind {
    BIND_LOCAL = 1, /* declared in a function, or at file level */
    BIND_PARAM,     /* |index|: its place, from 0, without the receiver */
    BIND_FIELD,     /* of the type |scope| */
    BIND_ASSIGN,    /* to what |target| names: `self.x = y`, `exports.f = g` */
    BIND_RETURN,    /* what |scope| returns; no name */
    BIND_RECEIVER,  /* Go's `s` of `(s *T)` */
    BIND_TYPE,      /* Java: type parameter |index|, |type| bounds it */
};

#define BIND_CONST       UINT32_C(1) /* cannot be bound again */
#define BIND_MULTI       UINT32_C(2) /* |index|: which of the values of |value| */
#define BIND_WITH        UINT32_C(4) /* Python: entered, `with f() as x` */
#define BIND_TYPE_SWITCH UINT32_C(8)
#define BIND_PACKAGE     UINT32_C(16) /* Kotlin: other files see it, too */
#define BIND_REST        UINT32_C(32) /* Java, Kotlin, C#: takes all left */
#define BIND_DEFAULT     UINT32_C(64) /* Kotlin, C#: may be left out by a call */
#define BIND_OBJECT      UINT32_C(128) /* JavaScript: a field, not `static` */
#define BIND_HOLDS                                         \
    UINT32_C(256) /* assigned for what is behind it, up to \
                     line |index| */

struct fact_bind {
    uint8_t kind;
    uint32_t flags;
    uint32_t scope; /* def */
    str_id name;
    uint32_t type;   /* expr, or 0 */
    uint32_t value;  /* expr, or 0 */
    uint32_t target; /* expr, of BIND_ASSIGN */
    uint32_t index;
    uint32_t line;
};

/* ---- imports and exports ---- */

enum import_kind {
    IMPORT_MODULE = 1, /* the module under |alias|, or by its own last name */
    IMPORT_NAME,       /* |name| of the module, under |alias| if not empty */
    IMPORT_STAR,       /* all that it exports, unqualified */
    IMPORT_DEFAULT,    /* its default export, under |alias| */
    IMPORT_EFFECT,     /* for its effects: `import "./x"`, Go `_` */
    EXPORT_NAME,       /* own |name| exported as |alias|, no module; with a
                          module: of that module */
    EXPORT_STAR,       /* all of |module|, under |alias| if not empty */
    IMPORT_INCLUDE,    /* C, PHP, Ruby require: the file itself */
};

struct fact_import {
    uint8_t kind;
    bool is_type_only;
    uint32_t scope; /* def */
    str_id module;  /* as written, leading dots kept */
    str_id name;
    str_id alias;
    uint32_t line;
};

/* What people wrote above |line|, or as the docstring of the definition that
 * begins there (index/comments.h). */
struct fact_comment {
    uint32_t line;
    str_id text;
};

struct facts {
    uint8_t lang; /* enum lang_id */
    uint32_t flags;
    str_id package; /* package clause, namespace of the file, `package` */
    struct fact_def *defs;
    struct fact_expr *exprs;
    struct fact_bind *binds;
    struct fact_import *imports;
    struct fact_comment *comments; /* by line */
    uint32_t *lists;
    uint32_t def_len, expr_len, bind_len, import_len, comment_len, list_len;
    uint32_t def_cap, expr_cap, bind_cap, import_cap, comment_cap, list_cap;
    struct texts texts;
    bool failed; /* out of memory: what was appended since is missing */
};

/* ---- building; an index of 0 after a failure or past a limit ---- */

enum err facts_init(struct facts *facts, enum lang_id lang);
void facts_fini(struct facts *facts);

str_id facts_str(struct facts *facts, str text);
uint32_t facts_def(struct facts *facts, const struct fact_def *def);
uint32_t facts_expr(struct facts *facts, const struct fact_expr *expr);
uint32_t facts_bind(struct facts *facts, const struct fact_bind *bind);
uint32_t facts_import(struct facts *facts, const struct fact_import *import);
uint32_t facts_comment(struct facts *facts, uint32_t line, str_id text);
/* facts_list appends |len| expr indices and returns where they begin. */
uint32_t facts_list(struct facts *facts, const uint32_t *exprs, uint32_t len);

/* ---- reading ---- */

static inline str
facts_text(const struct facts *facts, str_id id)
{
    return texts_get(&facts->texts, id);
}

/* facts_encode appends the packed form.  ERR_NOMEM. */
enum err facts_encode(const struct facts *facts, struct buf *out);

/* facts_decode reads it back and checks every index, so that what it returns
 * can be walked without care: lists and operands have lower indices than the
 * row that names them, so no walk can be endless.  ERR_CORRUPT, ERR_NOMEM. */
enum err facts_decode(struct facts *facts, str packed);

/* facts_dump appends a line a row, but for comments, for tests and people. */
void facts_dump(const struct facts *facts, struct buf *out);

#endif
