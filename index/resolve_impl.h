/*
 * resolve_impl - what the parts of the resolver share.
 *
 * A name becomes a number once (sym); a scope is a definition, or a unit that
 * several files share (a Go package, a namespace); a table keyed by both says
 * what stands there.  An expression, a bind, an import and what a function
 * returns are each worth a val, found once and remembered.
 *
 * Depth      RESOLVE_DEPTH_MAX nested questions; a question that needs its own
 *            answer gets VAL_NONE.
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_IMPL_H
#define INDEX_RESOLVE_IMPL_H

#include "index/resolve.h"
#include "index/resolve_intern.h"

enum {
    RESOLVE_DEPTH_MAX = 160,
    RESOLVE_HOPS_MAX = 32,       /* re-exports, aliases of aliases */
    RESOLVE_CANDIDATES_MAX = 16, /* same name in one scope, looked at */
    RESOLVE_BASES_MAX = 128      /* of one type, with theirs */
};

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

/* A growing open table from a number to a number; 0 is no key. */
struct map {
    uint64_t *keys;
    uint32_t *values;
    uint32_t cap;
    uint32_t len;
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

/* ---- resolve_map.c ---- */

void map_fini(struct map *map);
/* map_put is false without memory; a key stays with its first value. */
bool map_put(struct map *map, uint64_t key, uint32_t value);
uint32_t map_get(const struct map *map, uint64_t key); /* 0: none */
/* map_slot is where the value of a key stands; NULL: no such key. */
uint32_t *map_slot(struct map *map, uint64_t key);

/* ---- resolve_names.c ---- */

sym sym_of(struct resolver *r, uint32_t file, str_id text);
sym sym_add(struct resolver *r, str text);
sym sym_find(const struct resolver *r, str text);
static inline str
sym_str(const struct resolver *r, sym name)
{
    return r->names.texts[name];
}
/* sym_join is |a|, |middle|, |b|; |middle| only between two that are not
 * empty. */
sym sym_join(struct resolver *r, sym a, str middle, str b);
bool sym_is(const struct resolver *r, sym name, const char *text);
/* names_prepare fills folders, modules, units, types. */
bool names_prepare(struct resolver *r);
/* unit_find is the unit of that key, or 0. */
uint32_t unit_find(struct resolver *r, uint8_t lang, str key);
/* type_find is the canonical type of that qualified name, where |def| stands,
 * plus one; 0: none. */
uint32_t type_find(struct resolver *r, uint32_t file, uint32_t def, sym name);
/* path_join resolves `.` and `..`; 0 if it leaves the repository. */
bool path_join(struct buf *out, str folder, str rest);
str path_folder(str path);
str path_base(str path);

/* ---- resolve_scope.c ---- */

bool scope_prepare(struct resolver *r);
struct rows scope_rows(const struct resolver *r, uint32_t scope, sym name);
static inline uint32_t
unit_scope(const struct resolver *r, uint32_t unit)
{
    return r->def_len + unit;
}
/* Scopes of their own: assignments to members of other things than self, and
 * fields set by literals, by name; what a file exports; what it imports without
 * a name (as name 0). */
static inline uint32_t
assign_scope(const struct resolver *r)
{
    return r->def_len + r->unit_cap_all;
}
static inline uint32_t
literal_scope(const struct resolver *r)
{
    return assign_scope(r) + 1;
}
static inline uint32_t
export_scope(const struct resolver *r, uint32_t file)
{
    return assign_scope(r) + 2 + 2 * file;
}
static inline uint32_t
star_scope(const struct resolver *r, uint32_t file)
{
    return export_scope(r, file) + 1;
}
/* scope_lookup is what |name|, written as expression |use| in |scope| of
 * |file|, stands for. */
struct val scope_lookup(struct resolver *r, uint32_t file, uint32_t scope,
                        sym name, uint32_t use);
/* scope_type is the type or interface around a definition; 0: none. */
uint32_t scope_type(const struct resolver *r, uint32_t file, uint32_t def);
/* scope_pick is the value of the row of |rows| that counts for the expression
 * |use| of |file| in the same scope; |use| 0: from elsewhere. */
struct val
scope_pick(struct resolver *r, struct rows rows, uint32_t file, uint32_t use);

/* ---- resolve_import.c, _import_*.c ---- */

/* import_local_name is the name under which the file knows it; of an export,
 * that under which others do. */
sym import_local_name(struct resolver *r, uint32_t file, uint32_t import);
/* import_value is what the name that an import binds stands for. */
struct val import_value(struct resolver *r, uint32_t file, uint32_t import);
/* import_module is the module that is named |module| in |file|. */
struct val import_module(struct resolver *r, uint32_t file, str module);
/* import_submodule_python is the module |name| in the folder of a package. */
struct val import_submodule_python(struct resolver *r, uint32_t file, sym name);
struct val import_in_folder_python(struct resolver *r, sym folder, sym name);
struct val import_module_js(struct resolver *r, uint32_t file, str module);
struct val import_module_python(struct resolver *r, uint32_t file, str module);
/* import_star looks into all that is imported without a name. */
struct val import_star(struct resolver *r, uint32_t file, sym name);
/* import_member is what a module of the repository exports as |name|. */
struct val import_member(struct resolver *r, uint32_t file, sym name);

/* ---- resolve_memo.c ---- */

enum { MEMO_NEW = 0, MEMO_ASKED = 1, MEMO_FIRST = 2 };
typedef struct val memo_fn(struct resolver *r, uint32_t file, uint32_t id);
/* memo_val asks |fn| once; VAL_NONE while it is being asked, and too deep. */
struct val memo_val(struct resolver *r, uint32_t *memo, uint32_t file,
                    uint32_t id, memo_fn *fn);

/* ---- resolve_eval.c, _type.c, _member.c ---- */

struct val eval_expr(struct resolver *r, uint32_t file, uint32_t expr);
struct val eval_bind(struct resolver *r, uint32_t file, uint32_t bind);
/* param_value is what a parameter without a type gets from the language. */
struct val param_value(struct resolver *r, uint32_t file, uint32_t bind);
struct val eval_row(struct resolver *r, const struct row *row);
/* eval_call is what a call of |callee| gives. */
struct val
eval_call(struct resolver *r, struct val callee, uint32_t file, uint32_t expr);
struct val eval_return(struct resolver *r, uint32_t file, uint32_t def);
/* eval_self is the instance that `this` is in |def|. */
struct val eval_self(struct resolver *r, uint32_t file, uint32_t def);
/* eval_type is an instance of the type that an expression names. */
struct val eval_type(struct resolver *r, uint32_t file, uint32_t expr);
/* eval_element is what iterating or indexing gives. */
enum element { ELEMENT_ITERATED, ELEMENT_KEY, ELEMENT_INDEXED };
struct val eval_element(struct resolver *r, struct val of, enum element how);
/* eval_arg is an instance of argument |index| of a generic type. */
struct val eval_arg(struct resolver *r, struct val of, uint32_t index);
/* eval_through is what a method of a collection of the language gives. */
struct val eval_through(struct resolver *r, struct val of, sym method);
struct val eval_await(struct resolver *r, struct val of);
bool generics_prepare(struct resolver *r);
/* eval_instance is an instance of what |type| is. */
struct val eval_instance(struct resolver *r, struct val type);
/* eval_callee is what is called: the definition, or what it is known by. */
struct val eval_callee(struct resolver *r, uint32_t file, uint32_t expr);
/* eval_part is value |index| of those that an expression gives. */
struct val
eval_part(struct resolver *r, uint32_t file, uint32_t expr, uint32_t index);

struct val member_find(struct resolver *r, struct val of, sym name);
/* member_of_type looks through the bases of a scope of a type; |skip_self| for
 * `super`. */
struct val
member_of_type(struct resolver *r, uint32_t type, sym name, bool skip_self);
const struct lineage *lineage_of(struct resolver *r, uint32_t type);
/* member_ctor is the constructor that making a |type| runs; VAL_NONE: none. */
struct val member_ctor(struct resolver *r, uint32_t type);

/* ---- resolve_calls.c ---- */

/* calls_prepare finds the target of every call. */
bool calls_prepare(struct resolver *r);
/* call_target is what a call or `new` runs. */
struct val call_target(struct resolver *r, uint32_t file, uint32_t expr);
/* callee_reach is how the name of a type that is made was reached. */
uint8_t callee_reach(struct resolver *r, uint32_t file, uint32_t expr);
/* call_argument is what a call passes as that parameter; 0: nothing known. */
uint32_t call_argument(struct resolver *r, const struct call_site *call,
                       uint32_t index, sym name);

static inline struct val
val_of(enum val_kind kind, uint32_t file, uint32_t id, uint8_t by)
{
    return (struct val){
        .kind = (uint8_t)kind, .by = by, .file = file, .id = id};
}

#endif
