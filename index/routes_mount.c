/*
 * The tables of routers, mounts and routes.  Routers are found by identity
 * through an open table at most half full; the mounts of one hang on it in the
 * order they were told.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "index/routes_router.h"
#include "index/routes_turns.h"

enum { SLOTS_MIN = 256 };

static uint32_t *
slot_of(const struct parts *p, uint8_t space, struct at at)
{
    uint64_t hash = hash_mix((uint64_t)at.file << 32 | at.id, space);
    uint32_t i = (uint32_t)hash & (p->slot_cap - 1);

    for (; p->slots[i]; i = (i + 1) & (p->slot_cap - 1)) {
        const struct router *router = &p->routers[p->slots[i]];
        if (router->space == space && router->at.file == at.file &&
            router->at.id == at.id)
            break;
    }
    return &p->slots[i];
}

static bool
grow(struct parts *p)
{
    uint32_t cap = p->slot_cap ? 2 * p->slot_cap : SLOTS_MIN;
    struct router *routers = realloc(p->routers, cap * sizeof(*routers));
    uint32_t *slots = calloc(cap, sizeof(*slots));

    if (routers)
        p->routers = routers;
    if (!routers || !slots) {
        free(slots);
        p->failed = true;
        return false;
    }
    free(p->slots);
    p->slots = slots;
    p->slot_cap = cap;
    if (p->router_len == 0)
        p->routers[p->router_len++] = (struct router){0};
    for (uint32_t i = 1; i < p->router_len; i++)
        *slot_of(p, routers[i].space, routers[i].at) = i;
    return true;
}

uint32_t
router_get(struct parts *p, enum router_space space, struct at at)
{
    if (2 * p->router_len >= p->slot_cap && !grow(p))
        return 0;
    uint32_t *slot = slot_of(p, (uint8_t)space, at);
    if (!*slot) {
        *slot = p->router_len;
        p->routers[p->router_len++] =
            (struct router){.at = at, .space = (uint8_t)space};
    }
    return *slot;
}

uint32_t
router_find(const struct parts *p, enum router_space space, struct at at)
{
    if (!p->slot_cap)
        return 0;
    uint32_t id = *slot_of(p, (uint8_t)space, at);
    return id && p->routers[id].framework ? id : 0;
}

uint32_t
router_make(struct parts *p, enum router_space space, struct at at,
            enum framework framework, uint32_t flags)
{
    uint32_t id = router_get(p, space, at);
    struct router *router = &p->routers[id];

    if (id && !router->framework) {
        router->framework = (uint8_t)framework;
        router->flags = flags;
    }
    return id;
}

static struct put_in
put_now(const struct parts *p)
{
    struct put_in now = {0};
    unsigned len = 0;

    for (const struct part_turn *turn = p->turn; turn && len < PUT_LOOPS_MAX;
         turn = turn->outer) {
        if (!turn->over.id)
            continue;
        now.by[len].over = turn->over;
        now.by[len++].item = turn->item;
    }
    return now;
}

static bool
make_mount_room(struct parts *p)
{
    if (!grow_room(p->mounts, p->mount_len, p->mount_cap)) {
        p->failed = true;
        return false;
    }
    p->mount_len += p->mount_len == 0; /* row 0: none */
    return true;
}

void
router_mount_at(struct parts *p, uint32_t child, uint32_t parent,
                text_id prefix, unsigned flags)
{
    uint32_t last = 0;

    if (!child || child == parent || p->failed)
        return;
    if (!make_mount_room(p))
        return;
    for (uint32_t m = p->routers[child].mounts; m; m = p->mounts[m].next) {
        if (p->mounts[m].parent == parent && p->mounts[m].prefix == prefix) {
            p->mounts[m].flags &= flags | ~MOUNT_ELSE; /* surer than before */
            struct put_in now = put_now(p);
            if (memcmp(&now, &p->mounts[m].put, sizeof(now)) != 0)
                p->mounts[m].put = (struct put_in){0}; /* in any turn */
            return;
        }
        last = m;
    }
    p->mounts[p->mount_len] = (struct router_mount){
        .put = put_now(p),
        .parent = parent,
        .prefix = prefix,
        .flags = flags,
    };
    if (last)
        p->mounts[last].next = p->mount_len++;
    else
        p->routers[child].mounts = p->mount_len++;
}

void
entry_add(struct parts *p, const struct route_entry *entry)
{
    if (!grow_room(p->entries, p->entry_len, p->entry_cap)) {
        p->failed = true;
        return;
    }
    p->entries[p->entry_len] = *entry;
    p->entries[p->entry_len++].put = put_now(p);
}
