/*
 * routes_ruby - the path of a route of Ruby's, put together from what stands
 * around it.
 *
 *     struct ruby_path path = {.is_tail = false};
 *     ruby_path_add(p, &path, outer, false);  ... inner ...
 *     ruby_path_enter(p, &path, &entry);
 *
 * Memory     ruby_path_enter frees what the path holds.
 * Threads    None.
 */
#ifndef INDEX_ROUTES_RUBY_H
#define INDEX_ROUTES_RUBY_H

#include "index/routes_rules.h"

/* The path so far; |is_tail|: what is before it is not known. */
struct ruby_path {
    struct buf text;
    bool is_tail;
};

/* ruby_path_add puts the text |arg| behind it, a parameter's name
 * |as_param|; nothing of id 0 or a block. */
void ruby_path_add(struct parts *p, struct ruby_path *path, struct at arg,
                   bool as_param);

/* ruby_path_enter enters |entry| with the path, if there is one to tell. */
void ruby_path_enter(struct parts *p, struct ruby_path *path,
                     struct route_entry entry);

/* ruby_is_space: the call puts its first argument before what its block
 * has, `namespace :x do`; |is_param|: as a parameter, `route_param :id do`. */
bool ruby_is_space(const struct parts *p, struct at call, bool *is_param);

#endif
