/*
 * resolve - what names mean, across the files of a repository.
 *
 * Takes the facts of all files and finds, for each call, the definition that is
 * called; and answers, for the rules about frameworks, what an expression
 * stands for.  Four layers, each with its own provenance: lexical scopes;
 * imports, with re-exports; self and the hierarchy; types of receivers, from
 * annotations, constructors, assignments, fields and what functions return.
 * What is left is no edge: a unique name, or a few candidates, kept apart.
 *
 *     resolver_new(&r, files, len, settings);
 *     resolve_calls(r, build);
 *     resolve_value(r, (struct at){file, expr}, &value);
 *     resolver_free(r);
 *
 * Cost       Linear in the facts; answers are remembered.  A question whose
 *            answer needs itself is VALUE_UNKNOWN; depth is bounded.
 * Memory     Facts must outlive the resolver.
 * Threads    None.  (Calls of different files may be resolved by several
 *            resolvers over the same facts.)
 */
#ifndef INDEX_RESOLVE_H
#define INDEX_RESOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "graph/code_build.h"
#include "index/facts.h"

struct resolver;

struct resolve_file {
    str path; /* in the repository */
    const struct facts *facts;
};

/* What stands in files that are not source, and steers imports. */
struct resolve_settings {
    /* go.mod: `module` of the folder it stands in. */
    const struct resolve_module {
        str folder; /* `` or `services/cart` */
        str module; /* go.mod `module`, package.json `name`, ... */
        uint8_t lang;
    } * modules;
    size_t module_len;
    /* tsconfig.json `paths` and `baseUrl`: `@app/` + rest is `src/` + rest */
    const struct resolve_alias {
        str folder; /* of the tsconfig.json */
        str prefix; /* without `*` */
        str target;
    } * aliases;
    size_t alias_len;
};

/* resolver_new: ERR_NOMEM. */
enum err resolver_new(struct resolver **out, const struct resolve_file *files,
                      uint32_t len, const struct resolve_settings *settings);
void resolver_free(struct resolver *r);

/*
 * resolve_graph appends to |build| the vertices of all definitions and the
 * edges of type calls, imports, implements, extends, overrides, tests,
 * contains, references, may_dispatch and may_call.  build->files must hold the
 * files, file i of the resolver at index |first_file| + i.  ERR_NOMEM.
 */
enum err resolve_graph(struct resolver *r, struct code_build *build,
                       uint32_t first_file);

/* resolve_node is the vertex that resolve_graph made of a definition, or of
 * the file for def 0. */
uint32_t resolve_node(const struct resolver *r, uint32_t file, uint32_t def);

/* ---- for rules about frameworks ---- */

struct at {
    uint32_t file; /* index */
    uint32_t id;   /* expr, def or bind of its facts */
};

enum value_kind {
    VALUE_UNKNOWN,
    VALUE_DEF,      /* a definition: function, method, type, constant */
    VALUE_FILE,     /* a module of the repository; id is 0 */
    VALUE_EXTERNAL, /* |name| of |module|, which is not in the repository;
                       `` the module itself.  `express`, `express.Router`,
                       `net/http.NewServeMux`, `flask.Flask` */
    VALUE_MADE,     /* by the call, `new`, list or object at |at|: where it was
                       made is its identity, whatever names it went through */
    VALUE_PARAM,    /* a parameter (bind) that nothing more is known of */
};

struct value {
    enum value_kind kind;
    struct at at;
    struct at call; /* VALUE_MADE: of a function in whose run it was made, so
                       that another call makes another; id 0: none */
    str module;     /* VALUE_EXTERNAL */
    str name;       /* its path in the module: `Router`, `web.Application` */
};

/*
 * resolve_value follows names, imports, exports, fields, single assignments,
 * and what a function of the repository returns.  True unless VALUE_UNKNOWN.
 */
bool resolve_value(struct resolver *r, struct at expr, struct value *out);

/* resolve_branch: of Go, what the variable |name| may have been assigned since
 * it was what resolve_value says, in a branch that ends before |name|. */
bool resolve_branch(struct resolver *r, struct at name, struct at *value);

/* resolve_type is the type of what an expression gives: VALUE_DEF of a type or
 * interface, or VALUE_EXTERNAL.  Pointers and awaits are looked through. */
bool resolve_type(struct resolver *r, struct at expr, struct value *out);

/* resolve_export is what a JavaScript file exports as |name|. */
bool
resolve_export(struct resolver *r, uint32_t file, str name, struct value *out);

/* resolve_args gives what the callers found pass as parameter |index| of the
 * function |def|, and the call; any result but true ends the walk. */
typedef bool resolve_arg_fn(void *ctx, struct at call, struct at expr);
void resolve_args(struct resolver *r, struct at def, uint32_t index,
                  resolve_arg_fn *fn, void *ctx);

/*
 * resolve_text appends the string an expression is: literals, constants,
 * concatenations, f-strings and templates of them.  A part that is not
 * constant is left out; |gaps| says so, and that a part is one of several, as
 * in `process.env.BASE || '/api'`.  False if it is no string at all.
 */
enum { TEXT_GAP_FRONT = 1, TEXT_GAP_BEHIND = 2, TEXT_CHOICE = 4 };
bool resolve_text(struct resolver *r, struct at expr, struct buf *out,
                  unsigned *gaps);

/* resolve_member finds a method or field of a type of the repository, its
 * bases too. */
bool
resolve_member(struct resolver *r, struct at type, str name, struct at *out);

#endif
