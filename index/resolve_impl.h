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

#include "index/resolve_read.h"
#include "index/resolve_state.h"

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
/* scope_has: something of that name was put into |scope|, so far. */
bool scope_has(const struct resolver *r, uint32_t scope, sym name);
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
/* Ruby: the scope of what a type, whose scope |of| is, answers itself. */
static inline uint32_t
singleton_scope(const struct resolver *r, uint32_t of)
{
    return export_scope(r, r->source_len) + of;
}
static inline bool
is_singleton(const struct resolver *r, uint32_t scope)
{
    return scope >= singleton_scope(r, 0);
}
static inline uint32_t
singleton_type(const struct resolver *r, uint32_t scope)
{
    return scope - singleton_scope(r, 0);
}
/* scope_lookup is what |name|, written as expression |use| in |scope| of
 * |file|, stands for. */
struct val scope_lookup(struct resolver *r, uint32_t file, uint32_t scope,
                        sym name, uint32_t use);
/* scope_is_bound says whether anything in the file or its unit has the name. */
bool scope_is_bound(const struct resolver *r, uint32_t file, uint32_t scope,
                    sym name);
/* expr_is_exports: `exports`, `module.exports` of CommonJS, or the name of the
 * file that is bound to them. */
bool expr_is_exports(const struct resolver *r, uint32_t file, uint32_t expr);
/* scope_pick is the value of the row of |rows| that counts for the expression
 * |use| of |file| in the same scope; |use| 0: from elsewhere. */
struct val
scope_pick(struct resolver *r, struct rows rows, uint32_t file, uint32_t use);
/* scope_is_before: |row| is bound before the expression |use| of |file|. */
bool scope_is_before(const struct resolver *r, const struct row *row,
                     uint32_t file, uint32_t use);

/* ---- resolve_import.c, _import_*.c ---- */

/* import_local_name is the name under which the file knows it; of an export,
 * that under which others do. */
sym import_local_name(struct resolver *r, uint32_t file, uint32_t import);
/* import_value is what the name that an import binds stands for. */
struct val import_value(struct resolver *r, uint32_t file, uint32_t import);
/* import_module is the module that is named |module| in |file|. */
struct val import_module(struct resolver *r, uint32_t file, str module);
/* import_dotted is the same of names with dots that begin at no namespace. */
struct val import_dotted(struct resolver *r, uint32_t file, str names);
/* import_submodule_python is the module |name| in the folder of a package. */
struct val import_submodule_python(struct resolver *r, uint32_t file, sym name);
struct val import_in_folder_python(struct resolver *r, sym folder, sym name);
struct val import_module_js(struct resolver *r, uint32_t file, str module);
struct val import_module_python(struct resolver *r, uint32_t file, str module);
/* import_star looks into all that is imported without a name. */
struct val import_star(struct resolver *r, uint32_t file, sym name);
/* import_member is what a module of the repository exports as |name|. */
struct val import_member(struct resolver *r, uint32_t file, sym name);
/* import_whole is what `require` of a module gives: what it assigned to
 * `module.exports`, or the module. */
struct val import_whole(struct resolver *r, struct val module);

/* ---- resolve_memo.c ---- */

enum { MEMO_NEW = 0, MEMO_ASKED = 1, MEMO_FIRST = 2 };
typedef struct val memo_fn(struct resolver *r, uint32_t file, uint32_t id);
/* memo_val asks |fn| once; VAL_NONE while it is being asked, and too deep. */
struct val memo_val(struct resolver *r, uint32_t *memo, uint32_t file,
                    uint32_t id, memo_fn *fn);

/* ---- resolve_eval.c, _full_name.c, _type.c, _member.c ---- */

struct val eval_expr(struct resolver *r, uint32_t file, uint32_t expr);
struct val eval_bind(struct resolver *r, uint32_t file, uint32_t bind);
/* eval_full_name is what an expression names with its package: a type of Java
 * and Kotlin, `com.acme.Paths`, or a path of PHP. */
struct val eval_full_name(struct resolver *r, uint32_t file, uint32_t expr);
/* name_is_global: `\A` of PHP, which eval_global finds outside all namespaces.
 */
bool name_is_global(const struct resolver *r, uint32_t file, uint32_t expr);
struct val eval_global(struct resolver *r, uint32_t file, uint32_t expr);
/* name_is_path: `A\B` of PHP, read from the namespace that A is imported as or
 * else from the one around; VAL_FOREIGN where nothing of ours is there. */
bool name_is_path(const struct resolver *r, uint32_t file, uint32_t expr);
/* param_value is what a parameter without a type gets from the language. */
struct val param_value(struct resolver *r, uint32_t file, uint32_t bind);
/* param_passed is that of the parameter |index| of a lambda. */
struct val param_passed(struct resolver *r, uint32_t file, uint32_t lambda,
                        uint32_t index);
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
/* eval_item is what is at the place |index| of a list; where that is not known,
 * or the list does not stand in the code, what one of its places holds. */
#define ITEM_ANY UINT32_MAX
struct val eval_item(struct resolver *r, struct val of, uint32_t index);
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
/* member_used is what the expression |use| means by it (resolve_overload.h). */
struct val
member_used(struct resolver *r, struct val of, sym name, struct at use);
/* member_own is what |rows|, of the type itself, stand for. */
struct val member_own(struct resolver *r, uint32_t type, struct rows rows);
/* member_of_type looks through the bases of a scope of a type; |skip_self| for
 * `super`. */
struct val
member_of_type(struct resolver *r, uint32_t type, sym name, bool skip_self);
/* member_ctor is the constructor that making a |type| runs; VAL_NONE: none. */
struct val member_ctor(struct resolver *r, uint32_t type);

/* ---- resolve_line.c, resolve_super.c ---- */

/* lineage_of is the line of a type, or of its singleton. */
const struct lineage *lineage_of(struct resolver *r, uint32_t type);
/* member_superclass is an instance of the class that a type extends;
 * VAL_FOREIGN: not one of ours, VAL_NONE: none is named. */
struct val member_superclass(struct resolver *r, uint32_t type);

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

#endif
