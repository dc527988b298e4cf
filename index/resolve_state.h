/*
 * resolve_state - the tables of a resolver.
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_STATE_H
#define INDEX_RESOLVE_STATE_H

#include "index/resolve.h"
#include "index/resolve_intern.h"
#include "index/resolve_map.h"
#include "index/resolve_tables.h"
#include "index/resolve_val.h"

enum {
    RESOLVE_DEPTH_MAX = 160,
    RESOLVE_HOPS_MAX = 32,       /* re-exports, aliases of aliases */
    RESOLVE_CANDIDATES_MAX = 16, /* same name in one scope, looked at */
    RESOLVE_BASES_MAX = 128      /* of one type, with theirs */
};

/* The name under which `module.exports` stands among the exports. */
#define WHOLE_EXPORT "export="

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
    uint32_t *lambda_calls;    /* the call that a lambda is passed to */
    uint32_t *selves;          /* JavaScript: expression that `this` is */
    struct parameters *params; /* Java, Kotlin */
    struct map member_names;   /* Kotlin: of functions of types */
    struct map hints;          /* def, name of a lambda -> how many so far */
    uint32_t unit_cap_all;     /* more than units */
    struct row *rows;
    struct scope_key *keys;
    uint32_t key_cap;
    uint32_t key_len;
    uint32_t *key_slots;   /* key + 1 */
    uint32_t key_slot_cap; /* a power of two */
    uint64_t *scope_names; /* of each scope: a bit of each name in it */

    uint32_t *callers; /* Java: the call that an expression is the callee of */
    struct shape *shapes; /* Java: of parameters; 0 stands for none */
    uint32_t shape_len;
    uint32_t shape_cap;
    struct shape *passed; /* Java: of the arguments of calls being looked at */
    uint32_t passed_len;
    uint32_t passed_cap;
    uint32_t overload_steps; /* spent so far, by all calls */
    uint32_t *expr_memo;     /* 0 not asked, 1 being asked, else vals + 2 */
    uint32_t *bind_memo;
    uint32_t *import_memo;
    uint32_t *return_memo;
    struct val *vals;
    uint32_t val_len;
    uint32_t val_cap;
    struct lineage *lineages; /* of each global def, then of its singleton */
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

    /* C: files by the last part of their path, and which ones a file includes,
     * by whatever way: of each slot the file, + 1, and a set of files. */
    struct map base_first; /* name -> file + 1 */
    uint32_t *base_next;   /* of each file the next of that name, + 1 */
    uint64_t *seen;
    uint32_t *seen_by;
    uint32_t *seen_todo;
    uint32_t seen_slots;
    struct map picked; /* file, where the rows of a name are -> row */

    uint32_t *nodes; /* of each global def */
    uint32_t first_file;
};

#endif
