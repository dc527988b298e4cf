/*
 * settings - what files that are not source tell about imports and routes.
 *
 * go.mod (`module`), package.json (`name`), composer.json and tsconfig.json
 * (`baseUrl`, `paths`): read while the tree is walked, handed to the resolver.
 * What is before all routes (index/context.h) goes to the rules about them.
 *
 * Memory     settings_fini; the views of settings_get live as long.
 * Limits     SETTINGS_BYTES_MAX a file; what is larger or malformed is ignored,
 *            and told by settings_take.
 * Threads    None.
 */
#ifndef INDEX_SETTINGS_H
#define INDEX_SETTINGS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/texts.h"
#include "index/context.h"
#include "index/resolve.h"

enum { SETTINGS_BYTES_MAX = 1 << 20 };

struct settings_row {
    text_id folder;
    text_id name;
    text_id target;
    uint8_t lang; /* 0: an alias */
};

struct settings {
    struct texts texts;
    struct contexts contexts;
    struct settings_row *rows;
    size_t len;
    size_t cap;
    struct resolve_module *modules;
    struct resolve_alias *aliases;
};

enum err settings_init(struct settings *settings);
void settings_fini(struct settings *settings);

/* settings_wants says whether a file of that path is one. */
bool settings_wants(str path);

/* settings_take reads one.  ERR_INVALID: it is malformed and says nothing;
 * ERR_NOMEM. */
enum err settings_take(struct settings *settings, str path, str content);

/* settings_get gives what the resolver takes; call it once, at the end. */
enum err settings_get(struct settings *settings, struct resolve_settings *out);

#endif
