/*
 * resolve_read - the rows of facts as a resolver reads them, and what kinds and
 * languages mean to it.
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_READ_H
#define INDEX_RESOLVE_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "index/resolve_state.h"
#include "model/code.h"

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

#endif
