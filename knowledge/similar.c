/*
 * Linking by likeness alone is right about every second time, whatever the
 * threshold; it gets right when two ways of comparing agree, the best is well
 * ahead of the second, and most of its words are there.  So few links are made
 * here, and most of those that are wanted come from names in the text
 * (knowledge/mention.c).
 */
#include "knowledge/similar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "knowledge/links.h"
#include "knowledge/text.h"
#include "store/knowledge_store.h"

enum { CANDIDATES = 10, TERMS = 12 };

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

/* How much of the words of |of| is in |text|: the second way of comparing. */
static double
coverage(str of, str text)
{
    size_t at = 0;
    size_t words = 0;
    size_t there = 0;
    str word;

    while (text_next_word(of, &at, &word)) {
        if (word.len < 4)
            continue;
        words++;
        there += text_has_word(text, word);
    }
    return words ? (double)there / (double)words : 0;
}

enum err
similar_link(struct moment *moment, const struct object *self, str text,
             size_t *count)
{
    struct similar_list found = {0};
    double next = 0;
    double best_cover = 0;
    const struct similar *best = NULL;
    const struct similar *covered = NULL;
    char metadata[96];
    enum err err = similar_search(moment, text, CANDIDATES, &found);

    *count = 0;
    for (size_t i = 0; i < found.len; i++) {
        const struct similar *item = &found.items[i];
        double cover = coverage(buf_str(&item->name), text);

        if (item->oid == self->oid || !relation(item->type))
            continue;
        if (!best)
            best = item;
        else if (next == 0)
            next = item->score;
        if (cover > best_cover) {
            best_cover = cover;
            covered = item;
        }
    }
    if (!err && best && best == covered && best_cover >= coverage_least &&
        best->score >= margin * next) {
        snprintf(metadata, sizeof(metadata),
                 "{\"auto_linked\":true,\"method\":\"lexical\","
                 "\"score\":%.3f}",
                 best_cover);
        err = link_add(moment, (struct link_ends){self->oid, best->oid},
                       relation(best->type), best_cover, "lexical", metadata);
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
