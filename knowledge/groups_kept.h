/*
 * groups_kept - the communities that were derived before, so that those that
 * are derived anew can go on under their ids.
 *
 * A community that has at least half of its members in common with one of
 * before is that one; each is gone on with once.  Members are those that are
 * linked (GROUP_LINKS_MAX).
 *
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_GROUPS_KEPT_H
#define KNOWLEDGE_GROUPS_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "knowledge/entity.h"
#include "knowledge/groups.h"

struct group_kept {
    int64_t oid;
    int level;
    bool is_taken;
    size_t len;
    int64_t members[GROUPS_MAX];
};
struct groups_kept {
    struct group_kept *items;
    size_t len;
};

/* groups_kept_read: the communities that were derived, as they are stored. */
enum err groups_kept_read(struct moment *moment, struct groups_kept *out);
void groups_kept_fini(struct groups_kept *kept);

/* groups_kept_take is the oid to go on with; 0: none. */
int64_t groups_kept_take(struct groups_kept *kept, int level,
                         const int64_t *members, size_t len);

/* groups_kept_write makes |oid| say what |add| says; its links are gone. */
enum err groups_kept_write(struct moment *moment, int64_t oid,
                           const struct entity_new *add);

/* groups_kept_drop takes away all but those in |but|. */
enum err groups_kept_drop(struct moment *moment, const struct groups_kept *kept,
                          const int64_t *but, size_t len);

/* groups_put_made adds to the metadata of a community what it is made of: the
 * index of the repositories and the observed edges there are, and when. */
enum err groups_put_made(struct moment *moment, cJSON *metadata);

#endif
