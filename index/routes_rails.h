/*
 * routes_rails - calls of Rails' routes, and the blocks that they stand in.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_RAILS_H
#define INDEX_ROUTES_RAILS_H

#include "index/routes_block.h"
#include "index/routes_turns.h"

enum { BLOCKS_MAX = 16, RAILS_PATH_MAX = 512 };

/* The blocks around a call, innermost first. */
struct rails_chain {
    struct at blocks[BLOCKS_MAX];
    unsigned len;
    str engine;    /* `Blog` of what Blog::Engine draws, or empty */
    bool is_loose; /* where the engine is mounted is not known */
};

/* rails_enter enters the routes of |call| as they are within |chain|. */
void
rails_enter(struct parts *p, struct at call, const struct rails_chain *chain);

/* rails_handler is the method that answers: |controller| as routes of the file
 * |from| have it, below the module |module|; |engine|: else below the engine's
 * own; 0. */
uint32_t rails_handler(struct parts *p, uint32_t from, str engine, str module,
                       str controller, str action);
/* rails_is_api: the application that |file| is of makes no pages with forms. */
bool rails_is_api(struct parts *p, uint32_t file);

/* rails_text is argument |i| of a call if it is a string or symbol. */
static inline str
rails_text(struct parts *p, struct at call, uint32_t i)
{
    struct at arg = turn_of(p, part_arg(p, call, i));

    return part_kind(p, arg) == EXPR_STRING ? part_word(p, arg)
                                            : (str){NULL, 0};
}

/* A call by which something else stands at its place: `concerns :name`,
 * `draw(:name)`, or, around it, `resources :x, concerns: :name` and
 * `mount Name::Engine, at: '/x'`. */
struct rails_use {
    str name;
    struct at call;
    bool is_draw;
    bool is_around;
    bool is_mount;
};

/* rails_uses are those of |name|, in the order of files and places; NULL:
 * none, or no memory. */
const struct rails_use *rails_uses(struct parts *p, str name, uint32_t *len);
void rails_uses_fini(struct parts *p);

/* rails_engine is `Name` of an expression that is Name::Engine, or empty. */
str rails_engine(const struct parts *p, struct at expr);

/* rails_is_routes_file: config/routes.rb, or below config/routes/;
 * rails_drawn_at is where what is below it begins, or 0. */
bool rails_is_routes_file(str path);
size_t rails_drawn_at(str path);

/* rails_lists says whether |list|, or what is no list, holds |name|. */
bool rails_lists(const struct parts *p, struct at list, str name);

#endif
