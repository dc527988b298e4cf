/*
 * routes_rails - calls of Rails' routes, and the blocks that they stand in.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_RAILS_H
#define INDEX_ROUTES_RAILS_H

#include "index/routes_block.h"

enum { BLOCKS_MAX = 16 };

/* The blocks around a call, innermost first. */
struct rails_chain {
    struct at blocks[BLOCKS_MAX];
    unsigned len;
};

/* rails_enter enters the routes of |call| as they are within |chain|. */
void
rails_enter(struct parts *p, struct at call, const struct rails_chain *chain);

/* rails_text is argument |i| of a call if it is a string or symbol. */
static inline str
rails_text(const struct parts *p, struct at call, uint32_t i)
{
    struct at arg = part_arg(p, call, i);

    return part_kind(p, arg) == EXPR_STRING ? part_word(p, arg)
                                            : (str){NULL, 0};
}

/* A call by which something else stands at its place: `concerns :name`,
 * `draw(:name)`, or, around it, `resources :x, concerns: :name`. */
struct rails_use {
    str name;
    struct at call;
    bool is_draw;
    bool is_around;
};

/* rails_uses are those of |name|, in the order of files and places; NULL:
 * none, or no memory. */
const struct rails_use *rails_uses(struct parts *p, str name, uint32_t *len);
void rails_uses_fini(struct parts *p);

/* rails_is_routes_file: config/routes.rb, or below config/routes/;
 * rails_drawn_at is where what is below it begins, or 0. */
bool rails_is_routes_file(str path);
size_t rails_drawn_at(str path);

/* rails_lists says whether |list|, or what is no list, holds |name|. */
bool rails_lists(const struct parts *p, struct at list, str name);

#endif
