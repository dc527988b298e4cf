/*
 * routes_parts - reading facts the way rules about frameworks need it.
 *
 * A rule sees calls, decorators and types; what stands behind a name is the
 * resolver's answer, told here as the dotted path of what is imported
 * (`net/http.HandleFunc`, `flask.Flask`), or as what is written where nothing
 * of the repository or an import explains it.
 *
 * Memory     parts_init, parts_fini.  A path from part_origin is good until
 *            the next one.
 * Threads    None.
 */
#ifndef INDEX_ROUTES_PARTS_H
#define INDEX_ROUTES_PARTS_H

#include "base/texts.h"
#include "graph/code_build.h"
#include "index/resolve.h"

/* Of names by their text, in a file: each is a walk over its binds. */
enum { PART_LOOKUPS_MAX = 2000 };
/* Frameworks that place_has is asked for (index/routes_place.h). */
enum { PART_PLACES = 2 };

struct contexts;
struct router;
struct router_mount;
struct route_entry;
struct marks_said;
struct extended;
struct extended_type;
struct partial_type;
struct field_rows;
struct file_row;
struct php_class;
struct php_asked;
struct php_include;
struct part_turn;
struct rails_uses;
struct grape_rows;
struct pyramid_views;
struct symfony_names;
struct nestjs_modules;
struct called_words;

/* index/routes_served.c: the router within what a function returns, as found in
 * |round| by looking |looked| calls deep; 0: none.  |strip| is what is stripped
 * before it, or id 0. */
struct part_serves {
    uint32_t round, looked, router;
    struct at strip;
};

struct parts {
    struct resolver *r;
    const struct resolve_file *files;
    uint32_t len;
    struct code_build *build;
    const struct contexts *contexts; /* what settings say */
    bool failed;                     /* out of memory */
    bool has_extended_types, has_extended, has_php_classes, has_php_includes;

    /* Per file and definition, made when first asked for: the call that a
     * lambda is passed to, the first parameter; of a function, where its
     * expressions are, from the first to the last; bit by bit, which parameters
     * were asked for what callers pass, and which they do pass. */
    struct part_of_def {
        uint32_t lambda_call, first_param, first_return;
        uint32_t first_expr, last_expr;
        uint16_t asked, passed;
        bool is_patterns; /* Django: urlpatterns has what it returns */
        struct part_serves serves;
    } * *of_defs;
    /* Of the file at hand: the definition that an expression decorates. */
    uint32_t *marks;
    uint32_t mark_file; /* 1 + its index */

    /* index/routes_router.h */
    struct texts texts; /* prefixes and paths */
    struct router *routers;
    struct router_mount *mounts;
    struct route_entry *entries;
    uint32_t *slots; /* of routers, by identity */
    uint32_t router_len, router_cap, mount_len, mount_cap;
    uint32_t entry_len, entry_cap, slot_cap;
    unsigned round; /* an earlier round's "no router" is asked again */
    unsigned depth; /* of router_of */

    /* index/routes_marks_app.c: what is said for a whole folder */
    struct marks_said *apps;
    uint32_t app_len, app_cap;

    /* index/routes_marks_heirs.c: the types that others extend, in order; made
     * when asked */
    struct extended_type *extended_types;
    uint32_t extended_type_len, extended_type_cap;

    /* index/routes_marks_parts.c: the parts of classes, in order; made when
     * asked */
    struct partial_type *partial_types;
    uint32_t partial_type_len, partial_type_cap;
    bool has_partial_types;

    /* index/routes_extended.c: methods and calls, by name; made when asked */
    struct extended *extended;
    uint32_t extended_len, extended_cap;

    /* index/routes_fields.c: per file; made when asked */
    struct field_rows *fields;
    uint32_t field_bases; /* that were asked for theirs */

    /* index/routes_grpc.c: services of .proto files, names of their methods */
    struct grpc_service *services;
    uint32_t service_len, service_cap;
    struct texts rpc_names;

    /* index/routes_files.c: made when asked */
    struct file_row *files_by_begin, *files_by_end;

    /* index/routes_php_class.c: made when asked */
    struct php_class *php_classes;
    uint32_t php_class_len, php_class_cap;
    /* index/routes_php_include.c: the same */
    struct php_include *php_includes;
    struct php_asked *php_asked;
    uint32_t php_include_len, php_include_cap;

    /* index/routes_rails_uses.c, index/routes_grape.c, index/routes_pyramid.c:
     * made when asked */
    struct rails_uses *rails_uses;
    struct grape_rows *grape;
    struct pyramid_views *pyramid_views;

    /* index/routes_symfony_take.c: made when asked */
    struct symfony_names *symfony;

    /* index/routes_nestjs_modules.c: made when asked */
    struct nestjs_modules *nestjs;

    /* index/routes_turns.c: of the loops around, the innermost */
    const struct part_turn *turn;

    /* index/routes_place.c: what was asked last of a folder, by framework, and
     * the answer */
    struct place_asked {
        str root;
        const char *config;
        bool has;
    } places[PART_PLACES];

    /* index/routes_emit.c: what the build holds already */
    uint64_t *seen;
    uint32_t *nodes; /* vertices of ours, by what they are called */
    uint32_t seen_len, seen_cap, node_len, node_cap;

    /* index/routes_called.c: made when asked */
    struct called_words *called;

    uint16_t *verbs;    /* rows of verb_rules, by name */
    struct buf path;    /* of part_origin */
    uint32_t lookups;   /* of names by their text, in the file at hand */
    uint32_t wrapped;   /* index/routes_wrapped.c: calls that were gone up to */
    uint64_t loop_rows; /* the same of binds, for loops */

    /* index/routes_turns.c: turns in the file at hand; what they put, in it and
     * in this pass over all files */
    uint32_t turns, file_looped, looped;

    /* index/routes_tell.c, index/routes_nestjs.c */
    uint32_t further_ways, further_steps;

    uint32_t idle_asked;   /* index/routes_served.c */
    uint32_t handler_left; /* index/routes_handler.c */
    uint32_t patterns; /* of Django's lists, looked at in the file at hand */
};

enum err parts_init(struct parts *p, struct resolver *r,
                    const struct resolve_file *files, uint32_t len,
                    struct code_build *build);
void parts_fini(struct parts *p);

/* part_open makes |file| the file at hand. */
void part_open(struct parts *p, uint32_t file);

static inline const struct facts *
part_facts(const struct parts *p, uint32_t file)
{
    return p->files[file].facts;
}

static inline const struct fact_expr *
part_expr(const struct parts *p, struct at at)
{
    return &p->files[at.file].facts->exprs[at.id];
}

static inline const struct fact_def *
part_def(const struct parts *p, struct at at)
{
    return &p->files[at.file].facts->defs[at.id];
}

static inline str
part_str(const struct parts *p, uint32_t file, str_id id)
{
    return facts_text(p->files[file].facts, id);
}

/* part_word is the text of an expression's own row: a name, a member. */
str part_word(const struct parts *p, struct at at);

/* ---- the shape of expressions; id 0: there is none ---- */

/* part_list is entry |i| of the list of an expression. */
struct at part_list(const struct parts *p, struct at at, uint32_t i);
/* part_arg is argument |i| of a call that is not named; part_last the last. */
struct at part_arg(const struct parts *p, struct at call, uint32_t i);
struct at part_last(const struct parts *p, struct at call);
uint32_t part_args(const struct parts *p, struct at call);
/* part_named is the value of a named argument of a call, or of a key of an
 * object; of an object that is an argument, too. */
struct at part_named(const struct parts *p, struct at at, const char *name);
/* part_field is the same of a name that is no literal. */
struct at part_field(const struct parts *p, struct at at, str name);
/* part_option is part_named, and looks into what Python's `**more` passes; what
 * it passes itself where that is not known; id 0 of None, too. */
struct at part_option(struct parts *p, struct at call, const char *name);
/* part_is_none: Python's None, which is as good as nothing given. */
bool part_is_none(const struct parts *p, struct at expr);
/* part_key is what an entry of an object, or an argument that is named, goes
 * by; false if |pair| is none, or no literal says it. */
bool part_key(const struct parts *p, struct at pair, str *name);
/* part_callee looks through type arguments. */
struct at part_callee(const struct parts *p, struct at call);
struct at part_receiver(const struct parts *p, struct at call);
/* part_bare looks through awaits, casts, pointers and spreads; in a turn of a
 * loop (index/routes_turns.h) what it takes is the item. */
struct at part_bare(struct parts *p, struct at at);
/* part_bound is what a name was bound to, in the scopes around it, if once, or
 * if it is Rust's. */
struct at part_bound(struct parts *p, struct at name);

static inline enum expr_kind
part_kind(const struct parts *p, struct at at)
{
    return (enum expr_kind)part_expr(p, at)->kind;
}

/* part_of is what is kept of |def|; NULL without memory, which is noted. */
struct part_of_def *part_of(struct parts *p, struct at def);
/* part_lambda_call is the call that the lambda |def| is passed to. */
struct at part_lambda_call(struct parts *p, struct at def);
/* part_marked is the definition that |expr| of the file at hand decorates. */
struct at part_marked(const struct parts *p, struct at expr);
/* part_param is the bind of parameter |index| of a function. */
struct at part_param(struct parts *p, struct at def, uint32_t index);
/* part_is_passed: a caller gives the parameter |bind|, one of the first 16.
 * Asked once of each, since all its callers may have to be looked at. */
bool part_is_passed(struct parts *p, struct at bind);
/* part_returned is what |def| returns |nth|, of all that it may; id 0: none. */
struct at part_returned(struct parts *p, struct at def, uint32_t nth);
/* part_enclosing is the innermost named function, method or lambda around. */
struct at part_enclosing(const struct parts *p, struct at expr);

/* ---- what names stand for ---- */

/* An import's path, dotted: `::`, `\` and `#` become `.`, Go's `/v2` goes.
 * |is_written|: as it is written, since nothing explains its first name. */
struct origin {
    str path;
    str name; /* the part of it that was not its module's */
    bool is_written;
    uint32_t file;
};
bool part_origin(struct parts *p, struct at expr, struct origin *out);

/*
 * origin_is compares with `module.Name`; a `*` in front of it stands for any
 * beginning.  What is only written fits by its last names if the file imports
 * all of the module, or its language imports whole namespaces.
 */
bool
origin_is(const struct parts *p, const struct origin *origin, const char *path);
bool part_is(struct parts *p, struct at expr, const char *path);

/* part_imports says whether a file imports a module, or one below it. */
bool part_imports(const struct parts *p, uint32_t file, const char *module);

/* part_type is the type that a declared type names, pointers off: a type of
 * the repository (VALUE_DEF) or its origin. */
bool part_type(struct parts *p, struct at type, struct value *def,
               struct origin *out);
/* part_type_of is the same of what an expression gives. */
bool part_type_of(struct parts *p, struct at expr, struct value *def,
                  struct origin *out);

/* ---- values ---- */

/* How a text came out. */
struct folded {
    bool ok;
    bool is_tail; /* what is in front of it is not known */
};

/* part_text appends the string that |expr| is.  A part that is not known cuts
 * off what is in front of it; with |holes| it becomes `{}` instead, but at the
 * front. */
struct folded
part_text(struct parts *p, struct at expr, bool holes, struct buf *out);

/* text_is_torn: a path begins within a parameter, as the end of
 * `"%s<%s:%s>" % (url, type, key)` does. */
bool text_is_torn(str path);

/* part_keep keeps what |text| has and frees it; |none| where it failed. */
text_id part_keep(struct parts *p, struct buf *text, text_id none);
/* part_is_choice: the run says which of several strings it is. */
bool part_is_choice(struct parts *p, struct at expr);

/* part_handler is the vertex of the function that |expr| names or wraps; 0. */
uint32_t part_handler(struct parts *p, struct at expr);
/* part_method_of is the vertex of a method of a type of the repository. */
uint32_t part_method_of(struct parts *p, struct at type, str name);
/* part_literal is the list or object, as it stands in the code, that |expr| is
 * or leads to. */
bool part_literal(struct parts *p, struct at expr, struct at *out);
/* part_items has |*list| lead to a list as it stands in the code or to a sum of
 * lists, whose items are the lists: through names and what functions return. */
bool part_items(struct parts *p, struct at *list);
/* part_function is the definition behind |expr|, if it is a function's. */
bool part_function(struct parts *p, struct at expr, struct at *out);

str str_upper(str s, char *into, size_t cap);

#endif
