/*
 * routes_rails_scope - what the blocks around a call of Rails' routes put
 * before it, as ActionDispatch's Mapper has it.
 *
 *     struct rails_scope s = {.level = RAILS_PLAIN};
 *     rails_in_block(p, &s, namespace); rails_in_resource(p, &s, users, name);
 *
 * Memory     A scope is a value.
 * Limits     Paths are cut at RAILS_PATH_MAX.
 * Threads    None.
 */
#ifndef INDEX_ROUTES_RAILS_SCOPE_H
#define INDEX_ROUTES_RAILS_SCOPE_H

#include "index/routes_rails.h"

enum { RAILS_NAMES_MAX = 8 }; /* of `path_names:`, in each other */

/* What a call stands in, of resources and their parts. */
enum rails_level {
    RAILS_PLAIN,
    RAILS_RESOURCES,
    RAILS_RESOURCE,
    RAILS_COLLECTION,
    RAILS_MEMBER,
    RAILS_NEW,
    RAILS_NESTED,
};

/* A resource, as its call says. */
struct rails_resource {
    char controller[128];
    str name;
    char path[RAILS_PATH_MAX];
    str param;      /* `id` */
    struct at only; /* or id 0 */
    struct at except;
    bool is_one; /* `resource` */
    bool is_shallow;
};

/* What the blocks around a call put before it; what Rails calls a scope. */
struct rails_scope {
    char path[RAILS_PATH_MAX];
    char flat[RAILS_PATH_MAX]; /* of the members of what is shallow */
    char module[256];          /* `api/v1` */
    char controller[128];
    char action[64];
    struct at path_names[RAILS_NAMES_MAX];
    unsigned path_name_len;
    struct at only; /* for resources that say neither; or id 0 */
    struct at except;
    struct rails_resource resource; /* the one around */
    enum rails_level level;
    unsigned shallows; /* resources around that are shallow */
    bool is_shallow;
    bool is_tail; /* what is before |path| is not known */
};

/* rails_in_block makes |s| what it is within the block of |call|, which is
 * neither `resources` nor `resource`. */
void rails_in_block(struct parts *p, struct rails_scope *s, struct at call);
/* rails_in_resource makes it what it is within the resource |name| of |call|;
 * rails_in what it is at |level| of the resource around. */
void rails_in_resource(struct parts *p, struct rails_scope *s, struct at call,
                       str name);
void rails_in(struct parts *p, struct rails_scope *s, enum rails_level level);
bool rails_is_resource(const struct parts *p, struct at call);

/* rails_add puts |text| behind a path. */
void rails_add(char *path, str text);
/* rails_action_path is what stands in paths for |action|. */
str rails_action_path(const struct parts *p, const struct rails_scope *s,
                      str action);
/* rails_option is the text of an option, or empty. */
str rails_option(struct parts *p, struct at call, const char *name);
/* rails_folded is the text of an expression, put together into |into|, or
 * empty. */
str rails_folded(struct parts *p, struct at expr, char *into, size_t cap);

#endif
