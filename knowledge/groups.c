/*
 * Derived communities are told from those that people add by their metadata,
 * and taken away when they are no longer found.
 */
#include "knowledge/groups.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "graph/communities.h"
#include "graph/louvain.h"
#include "graph/words.h"
#include "knowledge/entity.h"
#include "knowledge/groups_kept.h"
#include "knowledge/links.h"
#include "store/knowledge_store.h"

enum {
    CONCEPTS = 5,
    TERMS_MAX = 4096,
    NAMED = 5,
    TERM_LEN = 24,
    SAMPLE = 10000, /* members whose names are read */
    MADE_MAX = 200, /* GROUPS_MAX, and less of level 1 */
};

struct term {
    char word[TERM_LEN];
    uint32_t here; /* in the community that is told */
    uint32_t all;
};

struct making {
    struct moment *moment;
    struct communities found;
    struct groups_kept kept;
    struct term *terms;
    size_t term_len;
    bool is_here;
    int64_t *oids; /* of what was made, level 0 first */
    struct buf *gids;
    size_t len;
    enum err err;
};

/* ---- concepts ---- */

static void
count_term(void *ctx, str part)
{
    struct making *m = ctx;
    size_t i = 0;

    if (part.len < 3 || part.len >= TERM_LEN || words_is_stop(part))
        return;
    while (i < m->term_len && !str_eq(str_of(m->terms[i].word), part))
        i++;
    if (i == m->term_len) {
        if (m->term_len == TERMS_MAX)
            return;
        m->terms[m->term_len++] = (struct term){0};
        memcpy(m->terms[i].word, part.ptr, part.len);
    }
    if (m->is_here)
        m->terms[i].here++;
    else
        m->terms[i].all++;
}

static str
name_of(const struct making *m, uint32_t place)
{
    const struct joined *joined = m->moment->joined;
    uint32_t vertex = joined_vertex(joined, place);

    return vertex
               ? code_node(joined->code, vertex)->name
               : query_node(m->moment->view, joined_node(joined, place))->name;
}

static void
count_terms(struct making *m, const struct community *group)
{
    m->is_here = group != NULL;
    for (size_t i = 0; i < m->term_len && group; i++)
        m->terms[i].here = 0;
    uint32_t first = group ? group->member_at : 0;
    uint32_t len = group ? group->size : m->found.member_len;
    uint32_t step = 1 + len / SAMPLE;
    for (uint32_t k = 0; k < len; k += step)
        words_split(name_of(m, m->found.members[first + k]), count_term, m);
}

/* Frequent here and rare elsewhere: c-TF-IDF. */
static double
weigh(const struct making *m, const struct term *term)
{
    return term->here *
           log(1 + (double)m->found.member_len / (term->all ? term->all : 1));
}

static bool
is_better(const struct making *m, const struct term *term,
          const struct term *best)
{
    if (!term->here || !best)
        return term->here != 0;
    double more = weigh(m, term) - weigh(m, best);
    return more > 0 || (more == 0 && strcmp(term->word, best->word) < 0);
}

static cJSON *
find_concepts(struct making *m, const struct community *group)
{
    cJSON *array = cJSON_CreateArray();

    count_terms(m, group);
    for (int i = 0; i < CONCEPTS; i++) {
        struct term *best = NULL;

        for (size_t k = 0; k < m->term_len; k++)
            if (is_better(m, &m->terms[k], best))
                best = &m->terms[k];
        if (!best)
            break;
        cJSON_AddItemToArray(array, cJSON_CreateString(best->word));
        best->here = 0;
    }
    return array;
}

/* ---- one community ---- */

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The same for the same |ids|, in any order. */
static void
make_identity(const char **ids, size_t len, struct buf *out)
{
    unsigned char hash[SHA256_LEN];
    struct buf all = {0};

    if (len > 1)
        qsort(ids, len, sizeof(*ids), by_text);
    for (size_t i = 0; i < len; i++)
        buf_printf(&all, "%s\n", ids[i]);
    str text = buf_str(&all);
    hash_sha256(&text, 1, hash);
    buf_add_hex(out, (str){(const char *)hash, 16});
    out->failed |= all.failed;
    buf_fini(&all);
}

static void
join_words(const cJSON *array, struct buf *out)
{
    const cJSON *item;
    bool is_first = true;

    cJSON_ArrayForEach(item, array)
    {
        buf_printf(out, "%s%s", is_first ? "" : ", ", item->valuestring);
        is_first = false;
    }
}

struct told {
    struct buf title;
    struct buf content;
    struct buf identity;
    cJSON *metadata;
};

static void
told_fini(struct told *told)
{
    buf_fini(&told->title);
    buf_fini(&told->content);
    buf_fini(&told->identity);
    cJSON_Delete(told->metadata);
}

static void
put_kinds(struct making *m, const struct community *group, struct buf *out)
{
    const struct joined *joined = m->moment->joined;
    size_t functions = 0;
    size_t routes = 0;
    struct buf names = {0};

    for (uint32_t k = 0; k < group->size; k++) {
        uint32_t place = m->found.members[group->member_at + k];
        uint32_t vertex = joined_vertex(joined, place);
        uint32_t served = 0;

        if (vertex) {
            functions +=
                code_node(joined->code, vertex)->kind == CODE_FUNCTION ||
                code_node(joined->code, vertex)->kind == CODE_METHOD;
            (void)join_served(joined->join, vertex, &served);
        }
        if (!served &&
            !(joined_node(joined, place) &&
              query_node(m->moment->view, joined_node(joined, place))->kind ==
                  NODE_ROUTE))
            continue;
        uint32_t node = served ? join_served(joined->join, vertex, &served)[0]
                               : joined_node(joined, place);
        if (routes++ < NAMED) {
            buf_add(&names, names.len ? STR(", ") : STR(""));
            query_qualified(m->moment->view, node, &names);
        }
    }
    buf_printf(out, "%u members, %zu functions, %zu routes", group->size,
               functions, routes);
    if (names.len)
        buf_printf(out, " (%s%s)", buf_cstr(&names),
                   routes > NAMED ? ", ..." : "");
    buf_fini(&names);
}

static void
tell(struct making *m, const struct community *group, struct told *out)
{
    cJSON *concepts = find_concepts(m, group);

    out->metadata = cJSON_CreateObject();
    if (group->package.len)
        buf_add(&out->title, group->package);
    else
        buf_add(&out->title, name_of(m, m->found.members[group->member_at]));
    buf_add(&out->title, STR(": "));
    join_words(concepts, &out->title);
    put_kinds(m, group, &out->content);
    buf_printf(&out->content, "; %u calls and references within, %u observed",
               group->edges, group->observed);
    if (group->package.len)
        buf_printf(&out->content, "; mostly in %.*s", (int)group->package.len,
                   group->package.ptr);
    buf_add(&out->content, STR("; about "));
    join_words(concepts, &out->content);
    cJSON_AddNumberToObject(out->metadata, "community_level", 0);
    cJSON_AddStringToObject(out->metadata, "algo", "louvain");
    cJSON_AddNumberToObject(out->metadata, "resolution", 1);
    cJSON_AddNumberToObject(out->metadata, "members", group->size);
    cJSON_AddNumberToObject(out->metadata, "edges", group->edges);
    cJSON_AddNumberToObject(out->metadata, "observed", group->observed);
    cJSON_AddNumberToObject(out->metadata, "cohesion",
                            round(group->cohesion * 1000) / 1000);
    cJSON_AddNumberToObject(out->metadata, "modularity",
                            round(m->found.modularity * 1000) / 1000);
    cJSON_AddItemToObject(out->metadata, "key_concepts", concepts);
}

/* ---- stored ---- */

/* One of before may have the id that the members would give, and other members
 * by now. */
static enum err
add_new(struct making *m, struct entity_new *add, struct told *told,
        struct object *out)
{
    bool is_new = false;
    bool is_other = true;
    enum err err = OK;

    for (int tries = 0; is_other && !err && tries < 4; tries++) {
        object_fini(out);
        add->identity = buf_str(&told->identity);
        err = entity_add(m->moment, add, out, &is_new);
        is_other = false;
        for (size_t i = 0; i < m->len && !is_new; i++)
            is_other |= m->oids[i] == out->oid;
        buf_add_char(&told->identity, '+');
    }
    if (!err && is_other)
        err = ERR_INVALID;
    if (!err && is_new)
        err = entity_index(m->moment, out->oid);
    else if (!err)
        err = groups_kept_write(m->moment, out->oid, add);
    return err;
}

static void
store(struct making *m, struct told *told, int level, const int64_t *members,
      size_t len)
{
    struct entity_new add = {
        .type = "community",
        .title = str_cut(buf_str(&told->title), 0, ENTITY_TITLE_MAX / 2),
        .content = buf_str(&told->content),
        .category = STR("graph"),
        .metadata = told->metadata,
    };
    struct object object = {0};

    if (!m->err)
        m->err = groups_put_made(m->moment, told->metadata);
    if (told->title.failed || told->content.failed || told->identity.failed)
        m->err = ERR_NOMEM;
    if (m->err)
        return;
    int64_t oid = groups_kept_take(&m->kept, level, members, len);
    if (oid) {
        m->err = groups_kept_write(m->moment, oid, &add);
        if (!m->err)
            m->err = object_of_oid(m->moment, oid, &object);
    } else {
        m->err = add_new(m, &add, told, &object);
    }
    m->oids[m->len] = object.oid;
    buf_add(&m->gids[m->len], buf_str(&object.gid));
    m->len += !m->err;
    for (size_t i = 0; i < len && !m->err; i++)
        m->err = link_add(m->moment, (struct link_ends){object.oid, members[i]},
                          "CONTAINS", 1, "derived", NULL);
    object_fini(&object);
}

/* The oids of those that are linked. */
static size_t
register_members(struct making *m, struct object_list *members, int64_t *out)
{
    size_t len = 0;

    for (; len < members->len && len < GROUP_LINKS_MAX && !m->err; len++) {
        m->err = object_register(m->moment, &members->items[len]);
        out[len] = members->items[len].oid;
    }
    return len;
}

static void
make_one(struct making *m, const struct community *group)
{
    const char **ids = calloc(group->size, sizeof(*ids));
    struct object_list members = {0};
    int64_t oids[GROUP_LINKS_MAX];
    struct told told = {0};

    m->err = ids ? OK : ERR_NOMEM;
    for (uint32_t k = 0; k < group->size && !m->err; k++) {
        struct object object = {0};

        m->err = object_of_place(
            m->moment, m->found.members[group->member_at + k], &object);
        if (!m->err)
            m->err = object_list_add(&members, &object);
        object_fini(&object);
    }
    for (size_t k = 0; k < members.len && !m->err; k++)
        ids[k] = buf_cstr(&members.items[k].gid);
    if (!m->err) {
        tell(m, group, &told);
        make_identity(ids, members.len, &told.identity);
        size_t len = register_members(m, &members, oids);
        if (!m->err)
            store(m, &told, 0, oids, len);
    }
    told_fini(&told);
    object_list_fini(&members);
    free(ids);
}

/* ---- level 1 ---- */

static void
make_above(struct making *m, const uint32_t *of, size_t below, uint32_t group)
{
    const char **ids = calloc(below + 1, sizeof(*ids));
    struct told told = {.metadata = cJSON_CreateObject()};
    int64_t oids[GROUPS_MAX];
    size_t count = 0;

    m->err = ids && told.metadata ? OK : ERR_NOMEM;
    for (size_t i = 0; i < below && !m->err; i++)
        if (of[i] == group)
            ids[count++] = buf_cstr(&m->gids[i]);
    if (!m->err && count > 1) {
        make_identity(ids, count, &told.identity);
        buf_printf(&told.title, "%zu communities around ", count);
        buf_printf(&told.content, "%zu communities", count);
        cJSON_AddNumberToObject(told.metadata, "community_level", 1);
        cJSON_AddStringToObject(told.metadata, "algo", "louvain");
        cJSON_AddNumberToObject(told.metadata, "members", (double)count);
        bool is_first = true;
        for (size_t i = 0; i < below; i++) {
            if (of[i] != group)
                continue;
            const struct community *row = &m->found.rows[i];
            str name = row->package.len
                           ? row->package
                           : name_of(m, m->found.members[row->member_at]);
            if (is_first)
                buf_add(&told.title, name);
            buf_add(&told.content, is_first ? STR(": ") : STR(", "));
            buf_add(&told.content, name);
            is_first = false;
        }
        size_t len = 0;
        for (size_t i = 0; i < below; i++)
            if (of[i] == group)
                oids[len++] = m->oids[i];
        store(m, &told, 1, oids, len);
    }
    told_fini(&told);
    free(ids);
}

/* Communities that hang together, from the arcs between them. */
static void
make_level_1(struct making *m)
{
    size_t below = m->len;
    size_t edge_len = 0;
    struct louvain_edge *edges = calloc(below * below + 1, sizeof(*edges));
    struct louvain above = {0};

    if (!edges)
        m->err = ERR_NOMEM;
    for (uint32_t i = 0; i < below && !m->err; i++) {
        double *weights = NULL;

        m->err = communities_between(m->moment->joined, m->moment->view,
                                     &m->found, i, 0, &weights);
        for (uint32_t k = i + 1; k < below && !m->err; k++)
            if (weights[k] > 0)
                edges[edge_len++] = (struct louvain_edge){i, k, weights[k]};
        free(weights);
    }
    if (!m->err && edge_len)
        m->err = louvain_make((uint32_t)below, edges, edge_len, NULL, &above);
    for (uint32_t g = 0; g < above.group_len && !m->err; g++)
        make_above(m, above.group_of, below, g);
    louvain_fini(&above);
    free(edges);
}

enum err
groups_make(struct moment *moment, size_t *count)
{
    const struct communities_ask all = {0};
    struct making m = {.moment = moment};
    size_t kept = 0;

    *count = 0;
    if (!moment->joined || !moment->view)
        return OK;
    m.terms = calloc(TERMS_MAX, sizeof(*m.terms));
    m.oids = calloc(MADE_MAX, sizeof(*m.oids));
    m.gids = calloc(MADE_MAX, sizeof(*m.gids));
    m.err = m.terms && m.oids && m.gids
                ? communities_make(moment->joined, moment->view, &all, &m.found)
                : ERR_NOMEM;
    if (!m.err)
        m.err = groups_kept_read(moment, &m.kept);
    if (!m.err)
        count_terms(&m, NULL);
    /* Largest first, so the indexes of what is made are those of the rows. */
    for (uint32_t i = 0; i < m.found.len && i < GROUPS_MAX && !m.err &&
                         m.found.rows[i].size >= GROUP_MEMBERS_MIN;
         i++)
        make_one(&m, &m.found.rows[i]);
    if (!m.err && m.len > 1)
        make_level_1(&m);
    kept = m.len;
    if (!m.err)
        m.err = groups_kept_drop(moment, &m.kept, m.oids, m.len);
    *count = kept;
    for (size_t i = 0; m.gids && i < MADE_MAX; i++)
        buf_fini(&m.gids[i]);
    communities_fini(&m.found);
    groups_kept_fini(&m.kept);
    free(m.terms);
    free(m.oids);
    free(m.gids);
    return m.err;
}
