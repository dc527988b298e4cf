/*
 * routes_sinatra - whose routes a call in Ruby tells, and where applications of
 * Sinatra are mounted.
 *
 *     map('/api') { run Api }          class Api; use Admin; register Pages
 *     run Rack::URLMap.new('/' => App, '/api' => Api.new)
 *
 * A class is a router.  What a class extends is served with it; what
 * `def self.registered(app)` says, with the classes that register it.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_SINATRA_H
#define INDEX_ROUTES_SINATRA_H

#include "index/routes_rules.h"

/* Who a call tells routes of: FW_NONE, of none. */
struct sinatra_home {
    enum framework framework;
    uint32_t router; /* 0: the path is all */
};
struct sinatra_home sinatra_home(struct parts *p, struct at call);

/* sinatra_class finds the class of the repository that |expr| names,
 * sinatra_base is the name of its base |i|, sinatra_framework the one that
 * the class is of by its bases: Sinatra, Grape or FW_NONE. */
bool sinatra_class(struct parts *p, struct at expr, struct at *out);
struct at sinatra_base(const struct parts *p, struct at type, uint32_t i);
enum framework sinatra_framework(struct parts *p, struct at type);

/* sinatra_mounts mounts what a file says is mounted, or extended. */
void sinatra_mounts(struct parts *p, uint32_t file);

#endif
