/*
 * The score of what was added: one pass over its objects, one over the links.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "knowledge/entity.h"
#include "knowledge/score.h"
#include "knowledge/text.h"
#include "store/knowledge_store.h"

enum { BROKEN, SILENT, ORPHAN, UNTYPED, PAIR, NO_DOMAIN, CLASS_LEN };

static const struct score_class classes[CLASS_LEN] = {
    [BROKEN] = {"broken_link",
                "add what is named, or name what there is: explore finds ids",
                10},
    [SILENT] = {"missing_description",
                "say in a line what it is: update_task, or add it anew", 5},
    [ORPHAN] = {"orphan", "link it to what it is about: related_to", 3},
    [UNTYPED] = {"missing_type", "add it anew with one of the types", 2},
    [PAIR] = {"isolated_pair", "link one of the two to what else there is", 2},
    [NO_DOMAIN] = {"missing_domain", "give it a category", 1},
};

enum { INDEX_LINKS = 10 }; /* of a project or document that is a map */

/* An object that is judged. */
struct spot {
    int64_t oid;
    struct buf gid;
    int64_t only;     /* oid of its only neighbour, while it is */
    size_t contained; /* ends of links that contain */
    bool is_moc;
    bool can_be_moc; /* with INDEX_LINKS */
    bool is_covered;
    bool has_many; /* neighbours */
    bool links_out;
    bool links_in;
};

struct scoring {
    struct moment *moment;
    struct score *score;
    int64_t scope;
    struct spot *spots; /* by oid */
    size_t len;
    size_t cap;
    enum err err;
};

/* ---- objects ---- */

static bool
is_in_scope(const struct scoring *s, const struct ks_value *row)
{
    return !s->scope || row[0].num == s->scope || row[6].num == s->scope ||
           row[7].num == s->scope;
}

/* Columns: oid, gid, type, name, domain, description, project, source. */
static void
judge(struct scoring *s, const struct ks_value *row)
{
    struct score *score = s->score;
    str gid = row[1].text;
    str told = text_trim(row[5].text);

    if (!told.len || text_same(told, text_trim(row[3].text)))
        s->err = score_issue(score, SILENT, gid,
                             "says no more of itself than its name");
    if (!s->err && !entity_type_of(row[2].text))
        s->err = score_issue(score, UNTYPED, gid, "is of no known type");
    if (!s->err && !row[4].text.len)
        s->err = score_issue(score, NO_DOMAIN, gid, "has no domain");
}

static void
take(struct scoring *s, const struct ks_value *row)
{
    struct spot *spot;

    if (!grow_room(s->spots, s->len, s->cap)) {
        s->err = ERR_NOMEM;
        return;
    }
    spot = &s->spots[s->len++];
    *spot = (struct spot){
        .oid = row[0].num,
        .is_moc = str_eq(row[2].text, STR("moc")),
        .can_be_moc = str_eq(row[2].text, STR("project")) ||
                      str_eq(row[2].text, STR("document")),
    };
    buf_add(&spot->gid, row[1].text);
    s->err = spot->gid.failed ? ERR_NOMEM : OK;
    if (!s->err)
        judge(s, row);
}

static void
read_spots(struct scoring *s)
{
    struct knowledge_store *store = s->moment->store;
    const struct ks_value *row;
    enum err end;

    ks_ask(store, KS_SCORE_OBJECTS, NULL, 0);
    while (!s->err && ks_next(store, KS_SCORE_OBJECTS, &row))
        if (is_in_scope(s, row))
            take(s, row);
    end = ks_end(store, KS_SCORE_OBJECTS);
    s->err = s->err ? s->err : end;
    s->score->nodes = s->len;
}

static int
by_oid(const void *key, const void *item)
{
    int64_t oid = *(const int64_t *)key;
    const struct spot *spot = item;

    return (oid > spot->oid) - (oid < spot->oid);
}

static struct spot *
find(const struct scoring *s, int64_t oid)
{
    return s->len ? bsearch(&oid, s->spots, s->len, sizeof(*s->spots), by_oid)
                  : NULL;
}

/* ---- links ---- */

static void
meet(struct spot *spot, int64_t other, bool is_out)
{
    if (!spot || spot->oid == other)
        return;
    spot->has_many |= spot->only && spot->only != other;
    spot->only = other;
    if (is_out)
        spot->links_out = true;
    else
        spot->links_in = true;
}

/* CONTAINS said from either end, and CLUSTERS; of a map any link. */
static void
contain(const struct scoring *s, int64_t from, int64_t to, str type, bool marks)
{
    bool is_back = str_eq(type, STR("BELONGS_TO"));
    struct spot *whole = find(s, is_back ? to : from);
    struct spot *part = find(s, is_back ? from : to);
    bool contains = is_back || str_eq(type, STR("CONTAINS")) ||
                    str_eq(type, STR("CLUSTERS"));

    if (!whole || whole == part || (!contains && !whole->is_moc))
        return;
    if (!marks)
        whole->contained += contains;
    else if (part && whole->is_moc)
        part->is_covered = true;
}

static void
read_links(struct scoring *s, bool marks)
{
    struct knowledge_store *store = s->moment->store;
    const struct ks_value *row;
    enum err end;

    ks_ask(store, KS_LINKS_ALL, NULL, 0);
    while (ks_next(store, KS_LINKS_ALL, &row)) {
        struct spot *from = find(s, row[0].num);
        struct spot *to = find(s, row[1].num);

        contain(s, row[0].num, row[1].num, row[2].text, marks);
        if (marks)
            continue;
        s->score->edges += from || to;
        meet(from, row[1].num, true);
        meet(to, row[0].num, false);
    }
    end = ks_end(store, KS_LINKS_ALL);
    s->err = s->err ? s->err : end;
}

static void
read_broken(struct scoring *s)
{
    struct knowledge_store *store = s->moment->store;
    const struct ks_value *row;
    enum err end;

    ks_ask(store, KS_SCORE_BROKEN, NULL, 0);
    while (!s->err && ks_next(store, KS_SCORE_BROKEN, &row)) {
        const struct spot *spot = find(s, row[0].num);

        if (spot)
            s->err = score_issue(s->score, BROKEN, buf_str(&spot->gid),
                                 "%.*s '%.*s', which names nothing",
                                 (int)row[2].text.len, row[2].text.ptr,
                                 (int)row[1].text.len, row[1].text.ptr);
    }
    end = ks_end(store, KS_SCORE_BROKEN);
    s->err = s->err ? s->err : end;
}

static void
judge_links(struct scoring *s)
{
    for (size_t i = 0; i < s->len && !s->err; i++) {
        const struct spot *spot = &s->spots[i];
        const struct spot *other = find(s, spot->only);

        if (!spot->only)
            s->err = score_issue(s->score, ORPHAN, buf_str(&spot->gid),
                                 "is linked to nothing");
        else if (other && other > spot && !spot->has_many && !other->has_many &&
                 spot->links_out && spot->links_in)
            s->err = score_issue(s->score, PAIR, buf_str(&spot->gid),
                                 "and %.*s only link each other",
                                 (int)other->gid.len, other->gid.ptr);
    }
}

static void
reward(struct scoring *s)
{
    size_t covered = 0;
    size_t others = 0;

    for (size_t i = 0; i < s->len; i++)
        s->spots[i].is_moc |=
            s->spots[i].can_be_moc && s->spots[i].contained >= INDEX_LINKS;
    read_links(s, true);
    for (size_t i = 0; i < s->len; i++) {
        others += !s->spots[i].is_moc;
        covered += !s->spots[i].is_moc && s->spots[i].is_covered;
    }
    s->score->bonuses[0] =
        others ? SCORE_BONUS_MAX * (double)covered / (double)others : 0;
    s->score->bonuses[1] = score_density(s->score->edges, s->score->nodes);
}

enum err
score_knowledge(struct moment *moment, int64_t oid, struct score *out)
{
    struct scoring s = {.moment = moment, .score = out, .scope = oid};

    *out = (struct score){
        .classes = classes,
        .class_len = CLASS_LEN,
        .bonus_names = {"moc_coverage", "link_density"},
    };
    if (moment->store) {
        read_spots(&s);
        read_links(&s, false);
        read_broken(&s);
        judge_links(&s);
        reward(&s);
    }
    score_settle(out);
    for (size_t i = 0; i < s.len; i++)
        buf_fini(&s.spots[i].gid);
    free(s.spots);
    return s.err;
}
