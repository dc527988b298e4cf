/*
 * resolve_state - the tables of a resolver, and how to read the rows of facts.
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_STATE_H
#define INDEX_RESOLVE_STATE_H

#include "index/resolve.h"
#include "index/resolve_intern.h"
#include "index/resolve_map.h"

enum {
    RESOLVE_DEPTH_MAX = 160,
    RESOLVE_HOPS_MAX = 32,       /* re-exports, aliases of aliases */
    RESOLVE_CANDIDATES_MAX = 16, /* same name in one scope, looked at */
    RESOLVE_BASES_MAX = 128      /* of one type, with theirs */
};

/* The name under which `module.exports` stands among the exports. */
#define WHOLE_EXPORT "export="

typedef uint32_t sym;

enum val_kind {
    VAL_NONE = 0,
    VAL_DEF,      /* file, id: the definition itself */
    VAL_FILE,     /* file: a module */
    VAL_UNIT,     /* id: a package or namespace */
    VAL_FOLDER,   /* name: a folder of modules without a file of its own */
    VAL_EXTERNAL, /* module, name */
    VAL_INSTANCE, /* file, id: of that type */
    VAL_FOREIGN,  /* module, name: of that type, which is not ours */
    VAL_GENERIC,  /* file, id: type expression of a collection, an instance */
    VAL_OBJECT,   /* file, id: expression; object literal */
    VAL_ARRAY,    /* file, id: expression */
    VAL_TEXT,     /* a string or a number */
    VAL_MADE,     /* by a call of which nothing is known but its place */
};

enum val_origin { ORIGIN_NONE = 0, ORIGIN_EXPR, ORIGIN_BIND };

struct val {
    uint8_t kind;
    uint8_t by; /* enum code_provenance: how a definition was reached */
    uint8_t origin;
    uint32_t file;
    uint32_t id;
    sym module;
    sym name;
    uint32_t origin_file; /* where the value was made, or its parameter */
    uint32_t origin_id;
    uint32_t args_file; /* type expression with the arguments of a generic */
    uint32_t args;
};

/* ROW_PAIR: |id| makes something, |order| is the EXPR_PAIR of a field. */
enum row_kind { ROW_DEF = 1, ROW_BIND, ROW_IMPORT, ROW_PAIR };

struct row {
    uint32_t file;
    uint32_t id;
    uint32_t order; /* a bind counts for expressions behind this one */
    uint32_t line;
    uint8_t kind;
};

struct rows {
    const struct row *at;
    uint32_t len;
};

struct scope_key {
    uint32_t scope;
    sym name;
    uint32_t at; /* in rows */
    uint32_t len;
};

struct source {
    const struct facts *facts;
    str path;
    sym folder;
    sym module; /* path without extension; `__init__`, `index`: the folder */
    uint32_t unit;
    uint32_t def_base;
    uint32_t expr_base;
    uint32_t bind_base;
    uint32_t import_base;
    uint32_t text_base;
};

struct unit {
    sym key;          /* of the table of units */
    sym package;      /* the name of its vertices */
    sym clause;       /* Go: its package clause */
    uint32_t file;    /* the first */
    uint32_t lambdas; /* Go: those at file level so far */
    uint8_t lang;
};

/* The bases of a type, nearest first; itself is the first. */
struct lineage {
    uint32_t at; /* in r->bases */
    uint32_t len;
    bool is_known; /* set when found */
    bool is_open;  /* a base is not in the repository, or not found */
};

struct call_site {
    uint32_t target; /* global def */
    uint32_t file;
    uint32_t expr;
    uint8_t by;
};

struct resolver {
    struct source *sources;
    uint32_t source_len;
    uint32_t def_len;
    struct resolve_settings settings;
    struct intern names;
    sym *syms; /* of each text of each file, by need */
    bool failed;
    uint32_t depth;
    uint32_t cuts;      /* questions that got no answer for being open */
    uint32_t forgotten; /* answers not kept for that */

    struct unit *units;
    uint32_t unit_len;
    uint32_t unit_cap;
    struct map unit_of;        /* key text -> unit + 1 */
    struct map folder_unit;    /* folder text -> Go unit + 1 */
    struct map path_file;      /* path text -> file + 1 */
    struct map folders;        /* that hold Python somewhere below */
    struct map types;          /* unit, name of a type -> global def + 1 */
    struct map generics;       /* names of generic types that libraries have */
    struct map known_modules;  /* external, as imports name them */
    struct map python_modules; /* folder, module -> file + 2; 1: none */
    struct map exports;        /* file, name -> its memo */
    sym *python_roots;
    uint32_t python_root_len;

    /* Of each global def. */
    uint32_t *owner_file;
    uint32_t *canon; /* the first of that type, or the scope of its unit */
    uint32_t *def_units;
    uint32_t *twins; /* the next definition of the same type */
    sym *packages;
    sym *qualified;
    uint32_t *lambda_counts;
    uint32_t *lambda_calls; /* the call that a lambda is passed to */
    struct map hints;       /* def, name of a lambda -> how many so far */
    uint32_t unit_cap_all;  /* more than units */
    struct row *rows;
    struct scope_key *keys;
    uint32_t key_cap; /* a power of two */
    uint32_t key_len;
    uint32_t row_len;

    uint32_t *expr_memo; /* 0 not asked, 1 being asked, else vals + 2 */
    uint32_t *bind_memo;
    uint32_t *import_memo;
    uint32_t *return_memo;
    struct val *vals;
    uint32_t val_len;
    uint32_t val_cap;
    struct lineage *lineages; /* of each global def */
    uint32_t *bases;
    uint32_t base_len;
    uint32_t base_cap;

    struct map told; /* call, from expr_base -> global def + 1, by SCIP */
    struct call_site *calls;
    uint32_t call_len;
    uint32_t call_cap;
    uint32_t *call_start; /* of each global def, in |calls| sorted by target */
    bool has_calls;
    uint32_t external_calls;
    uint32_t unknown_calls;
    uint32_t all_calls;

    uint32_t *nodes; /* of each global def */
    uint32_t first_file;
};

static inline const struct fact_def *
def_at(const struct resolver *r, uint32_t file, uint32_t def)
{
    return &r->sources[file].facts->defs[def];
}

static inline const struct fact_expr *
expr_at(const struct resolver *r, uint32_t file, uint32_t expr)
{
    return &r->sources[file].facts->exprs[expr];
}

static inline const struct fact_bind *
bind_at(const struct resolver *r, uint32_t file, uint32_t bind)
{
    return &r->sources[file].facts->binds[bind];
}

static inline uint32_t
list_at(const struct resolver *r, uint32_t file, uint32_t at)
{
    return r->sources[file].facts->lists[at];
}

static inline uint32_t
gdef(const struct resolver *r, uint32_t file, uint32_t def)
{
    return r->sources[file].def_base + def;
}

static inline uint8_t
lang_at(const struct resolver *r, uint32_t file)
{
    return r->sources[file].facts->lang;
}

static inline bool
is_type_kind(uint8_t kind)
{
    return kind == CODE_TYPE || kind == CODE_INTERFACE;
}

static inline bool
is_function_kind(uint8_t kind)
{
    return kind == CODE_FUNCTION || kind == CODE_METHOD;
}

static inline bool
is_script(uint8_t lang)
{
    return lang == LANG_JAVASCRIPT || lang == LANG_TYPESCRIPT ||
           lang == LANG_TSX;
}

/* Unqualified names reach members of the types around: Java and its like. */
static inline bool
has_implicit_self(uint8_t lang)
{
    return lang == LANG_JAVA || lang == LANG_KOTLIN || lang == LANG_CSHARP ||
           lang == LANG_CPP || lang == LANG_RUBY;
}

static inline struct val
val_of(enum val_kind kind, uint32_t file, uint32_t id, uint8_t by)
{
    return (struct val){
        .kind = (uint8_t)kind, .by = by, .file = file, .id = id};
}

#endif
