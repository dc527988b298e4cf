/*
 * Linking by likeness alone is right about every second time, whatever the
 * threshold; it gets right when two ways of comparing agree, the best is well
 * ahead of the second, and most of its words are there.  So few links are made
 * here, and most of those that are wanted come from names in the text
 * (knowledge/mention.c).
 */
#include "knowledge/similar.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "knowledge/links.h"
#include "knowledge/search_parts.h"
#include "knowledge/text.h"
#include "store/knowledge_store.h"

enum {
    CANDIDATES = 10,
    TERMS = 12,
    WEIGHED_MAX = 48,   /* words of a text that are counted */
    COUNTED_MAX = 2000, /* texts that have a word */
    AKIN_LEN = 5,
};

static const double margin = 1.4;
static const double coverage_least = 0.6;

void
similar_list_fini(struct similar_list *list)
{
    for (size_t i = 0; i < list->len; i++) {
        buf_fini(&list->items[i].gid);
        buf_fini(&list->items[i].name);
    }
    list->len = 0;
}

enum err
similar_search(struct moment *moment, str text, size_t max,
               struct similar_list *out)
{
    size_t cap = sizeof(out->items) / sizeof(out->items[0]);
    struct buf query = {0};
    const struct ks_value *row;
    enum err err = OK;

    out->len = 0;
    text_match_any(text, TERMS, &query);
    if (!moment->store || query.len == 0 || query.failed)
        goto out;
    ks_ask(moment->store, KS_FTS_MATCH,
           KS_ARGS(ks_text(buf_str(&query)),
                   ks_int((int64_t)(max < cap ? max : cap))));
    while (out->len < cap && ks_next(moment->store, KS_FTS_MATCH, &row)) {
        struct similar *item = &out->items[out->len++];

        *item = (struct similar){.oid = row[0].num, .score = -row[1].real};
        buf_add(&item->gid, row[2].text);
        snprintf(item->type, sizeof(item->type), "%.*s", (int)row[3].text.len,
                 row[3].text.ptr);
        buf_add(&item->name, row[4].text);
    }
    err = ks_end(moment->store, KS_FTS_MATCH);
out:
    if (query.failed)
        err = ERR_NOMEM;
    buf_fini(&query);
    return err;
}

/* ---- conflicts ---- */

static bool
is_negated(str text)
{
    static const char *const words[] = {"not", "never",  "dont",    "avoid",
                                        "no",  "cannot", "without", "stop"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (text_has_word(text, str_of(words[i])))
            return true;
    return false;
}

static const char *
judge(double score, str one, str other, const char **why)
{
    bool is_opposed = is_negated(one) != is_negated(other);

    if (score >= 0.999) {
        *why = "the same text";
        return "duplicate";
    }
    if (is_opposed && score >= 0.3) {
        *why = "much the same text, and only one of the two says no";
        return "potential_contradiction";
    }
    if (score * 1000 < CONFLICT_PERMILLE)
        return NULL;
    *why = "much the same text";
    return "semantic_overlap";
}

static enum err
compare(struct moment *moment, const struct similar *item, str text,
        const struct shingles *set, cJSON *out)
{
    struct entity entity = {0};
    struct shingles other = {0};
    const char *why = "";
    enum err err = entity_get(moment, item->oid, &entity);

    if (err == ERR_NOT_FOUND)
        return OK; /* a chunk */
    if (!err)
        err = shingles_make(buf_str(&entity.content), &other);
    if (!err) {
        double score = shingles_like(set, &other);
        const char *type = judge(score, text, buf_str(&entity.content), &why);

        if (type) {
            cJSON *row = cJSON_CreateObject();

            cJSON_AddStringToObject(row, "id", buf_cstr(&entity.object.gid));
            cJSON_AddStringToObject(row, "name", buf_cstr(&entity.object.name));
            cJSON_AddNumberToObject(row, "score",
                                    (double)(int)(score * 1000) / 1000);
            cJSON_AddStringToObject(row, "type", type);
            cJSON_AddStringToObject(row, "explanation", why);
            cJSON_AddItemToArray(out, row);
        }
    }
    shingles_fini(&other);
    entity_fini(&entity);
    return err;
}

enum err
similar_conflicts(struct moment *moment, const struct object *self, str text,
                  cJSON *out)
{
    struct similar_list found = {0};
    struct shingles set = {0};
    struct buf words = {0};
    enum err err;

    buf_add(&words, buf_str(&self->name));
    buf_add_char(&words, ' ');
    buf_add(&words, text);
    err = similar_search(moment, buf_str(&words), CANDIDATES, &found);
    if (!err)
        err = shingles_make(text, &set);
    for (size_t i = 0; i < found.len && !err; i++)
        if (found.items[i].oid != self->oid &&
            strcmp(found.items[i].type, self->type) == 0)
            err = compare(moment, &found.items[i], text, &set, out);
    shingles_fini(&set);
    similar_list_fini(&found);
    buf_fini(&words);
    return err;
}

/* ---- links ---- */

static const char *
relation(const char *type)
{
    if (strcmp(type, "pattern") == 0 || strcmp(type, "template") == 0)
        return "REFERENCES";
    if (strcmp(type, "rule") == 0)
        return "REQUIRES";
    return strcmp(type, "topic") == 0 ? "PART_OF" : NULL;
}

/* Words that are one but for their ending: the same beginning, of five letters
 * or of the shorter word. */
static bool
is_akin(str a, str b)
{
    size_t least = a.len < b.len ? a.len : b.len;

    least = least > AKIN_LEN ? AKIN_LEN : least;
    for (size_t i = 0; i < least; i++)
        if (tolower((unsigned char)a.ptr[i]) !=
            tolower((unsigned char)b.ptr[i]))
            return false;
    return least == AKIN_LEN || a.len == b.len;
}

static bool
has_akin(str text, str word)
{
    size_t at = 0;
    str other;

    while (text_next_word(text, &at, &other))
        if (is_akin(other, word))
            return true;
    return false;
}

/* The words of a text that mean something, each with how much: the fewer texts
 * have it, the more. */
struct weighed {
    str words[WEIGHED_MAX];
    double weights[WEIGHED_MAX];
    size_t len;
    double sum;
};

static bool
is_stop(str word)
{
    char small[32];

    if (word.len > sizeof(small))
        return false;
    for (size_t i = 0; i < word.len; i++)
        small[i] = (char)tolower((unsigned char)word.ptr[i]);
    return search_is_stop((str){small, word.len});
}

static bool
has_weighed(const struct weighed *weighed, str word)
{
    for (size_t i = 0; i < weighed->len; i++)
        if (text_same(weighed->words[i], word))
            return true;
    return false;
}

static enum err
weigh(struct moment *moment, str text, struct weighed *out)
{
    struct buf query = {0};
    int64_t texts = 0;
    size_t at = 0;
    str word;
    enum err err = ks_number(moment->store, KS_DOC_MOST, NULL, 0, &texts);

    *out = (struct weighed){0};
    while (!err && out->len < WEIGHED_MAX && text_next_word(text, &at, &word)) {
        int64_t with = 0;

        if (word.len < 3 || is_stop(word) || has_weighed(out, word))
            continue;
        buf_reset(&query);
        buf_printf(&query, "\"%.*s\"", (int)word.len, word.ptr);
        err = query.failed ? ERR_NOMEM
                           : ks_number(moment->store, KS_TERM_COUNT,
                                       KS_ARGS(ks_text(buf_str(&query)),
                                               ks_int(COUNTED_MAX)),
                                       &with);
        out->words[out->len] = word;
        out->weights[out->len] =
            log(1 + ((double)texts + 1) / ((double)with + 1));
        out->sum += out->weights[out->len++];
    }
    buf_fini(&query);
    return err;
}

/* Does |text| have the words of |title|, two at least, in a row? */
static bool
has_phrase(str text, str title)
{
    size_t words = text_words(title);
    size_t from = 0;
    str word;

    if (words < 2)
        return false;
    while (from < text.len) {
        size_t in_text = from;
        size_t in_title = 0;
        size_t same = 0;
        str wanted;

        while (text_next_word(title, &in_title, &wanted) &&
               text_next_word(text, &in_text, &word) && text_same(word, wanted))
            same++;
        if (same == words)
            return true;
        if (!text_next_word(text, &from, &word))
            break;
    }
    return false;
}

/* How much of what the words mean |item| has: the second way of comparing.  A
 * title that stands there as it is, is all of it. */
static enum err
cover(struct moment *moment, const struct similar *item, str text,
      const struct weighed *words, double *out)
{
    struct entity entity = {0};
    enum err err = entity_get(moment, item->oid, &entity);
    double have = 0;

    *out = 0;
    if (err)
        return err == ERR_NOT_FOUND ? OK : err;
    for (size_t i = 0; i < words->len; i++)
        if (has_akin(buf_str(&entity.object.name), words->words[i]) ||
            has_akin(buf_str(&entity.content), words->words[i]))
            have += words->weights[i];
    *out = words->sum > 0 ? have / words->sum : 0;
    if (has_phrase(text, buf_str(&entity.object.name)))
        *out = 1;
    entity_fini(&entity);
    return OK;
}

struct rival {
    const struct similar *best;
    const struct similar *covers; /* the one that covers most */
    double next;                  /* score of the second */
    double least;                 /* what the best covers, 0 to 1 */
    double most;
};

static enum err
take_rival(struct moment *moment, const struct similar *item, str text,
           const struct weighed *words, struct rival *rival)
{
    double covered = 0;
    enum err err = cover(moment, item, text, words, &covered);

    if (!rival->best) {
        rival->best = item;
        rival->least = covered;
    } else if (rival->next == 0) {
        rival->next = item->score;
    }
    if (covered > rival->most) {
        rival->most = covered;
        rival->covers = item;
    }
    return err;
}

enum err
similar_link(struct moment *moment, const struct object *self, str text,
             size_t *count)
{
    struct similar_list found = {0};
    struct weighed words = {0};
    struct rival rival = {0};
    char metadata[96];
    enum err err = similar_search(moment, text, CANDIDATES, &found);

    *count = 0;
    if (!err && moment->store)
        err = weigh(moment, text, &words);
    for (size_t i = 0; i < found.len && !err; i++)
        if (found.items[i].oid != self->oid && relation(found.items[i].type))
            err = take_rival(moment, &found.items[i], text, &words, &rival);
    if (!err && rival.best && rival.best == rival.covers &&
        rival.least >= coverage_least &&
        rival.best->score >= margin * rival.next) {
        snprintf(metadata, sizeof(metadata),
                 "{\"auto_linked\":true,\"method\":\"lexical\","
                 "\"score\":%.3f}",
                 rival.least);
        err = link_add(moment, (struct link_ends){self->oid, rival.best->oid},
                       relation(rival.best->type), rival.least, "lexical",
                       metadata);
        *count = !err;
    }
    similar_list_fini(&found);
    return err;
}

/* ---- tags ---- */

static const struct {
    const char *tag;
    const char *words; /* with spaces */
} subjects[] = {
    {"bug", "bug fix fixes fixed defect crash regression"},
    {"performance", "slow latency performance timeout p95 p99 throughput"},
    {"security", "security auth authentication authorization token oauth jwt "
                 "vulnerability"},
    {"database", "database sql postgres mysql sqlite migration redis index"},
    {"api", "api endpoint route rest grpc openapi"},
    {"frontend", "ui frontend css react component browser"},
    {"testing", "test tests testing coverage flaky"},
    {"ci", "ci pipeline workflow jenkins"},
    {"deployment", "deploy deployment rollout rollback release kubernetes"},
    {"observability", "trace traces tracing span spans metrics logging otel"},
    {"messaging", "kafka queue topic consumer producer broker"},
    {"refactoring", "refactor refactoring cleanup rename"},
    {"documentation", "docs documentation readme runbook"},
    {"dead-code", "dead unused deprecated legacy removal"},
};

void
similar_tags(str text, cJSON *out)
{
    for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
        str words = str_of(subjects[i].words);
        size_t at = 0;
        str word;

        while (text_next_word(words, &at, &word))
            if (text_has_word(text, word)) {
                cJSON_AddItemToArray(out, cJSON_CreateString(subjects[i].tag));
                break;
            }
    }
}
