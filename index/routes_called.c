/*
 * All names that rules know are in one table, which is asked once a call.
 */
#include "index/routes_called.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "index/routes_table.h"

/* Of the table, beside CALLED_...: a list is gone through; a router's method,
 * but of the frameworks of Rust, or of the JVM, alone: elsewhere `push` and
 * `create` are in every other line. */
enum { WORD_LOOP = 8, WORD_RUST = 16, WORD_JVM = 32 };

struct called_words {
    struct texts words;
    uint8_t *rules; /* of each */
    uint32_t cap;
    struct called_file files[];
};

static bool
put_word(struct called_words *all, str word, uint8_t rule)
{
    text_id id = texts_add(&all->words, word);

    if (id == 0)
        return word.len == 0;
    uint32_t had = all->cap;
    if (!grow_room(all->rules, id, all->cap))
        return false;
    memset(all->rules + had, 0, all->cap - had);
    all->rules[id] |= rule;
    return true;
}

static uint8_t
verb_word(enum framework framework)
{
    if (framework >= FW_AXUM && framework < FW_LARAVEL)
        return WORD_RUST;
    return framework >= FW_SPRING && framework < FW_NETHTTP ? WORD_JVM
                                                            : CALLED_VERB;
}

static bool
put_words(struct called_words *all)
{
    bool ok = put_word(all, STR("forEach"), WORD_LOOP) &&
              put_word(all, STR("map"), WORD_LOOP);
    str word;

    for (size_t i = 0; ok && i < verb_rule_len; i++)
        ok = put_word(all, str_of(verb_rules[i].name),
                      verb_word((enum framework)verb_rules[i].framework));
    for (size_t i = 0; ok && (word = client_word(i)).len > 0; i++)
        ok = put_word(all, word, CALLED_CLIENT);
    for (size_t i = 0; ok && (word = topic_word(i)).len > 0; i++)
        ok = put_word(all, word, CALLED_TOPIC);
    return ok;
}

static bool
open_words(struct parts *p)
{
    if (p->called)
        return true;
    p->called = calloc(1, sizeof(*p->called) +
                              (size_t)p->len * sizeof(struct called_file));
    if (p->called && texts_init(&p->called->words, 0) == OK &&
        put_words(p->called))
        return true;
    called_fini(p);
    return false;
}

void
called_fini(struct parts *p)
{
    struct called_words *all = p->called;

    if (!all)
        return;
    for (uint32_t i = 0; i < p->len; i++)
        free(all->files[i].calls);
    texts_fini(&all->words);
    free(all->rules);
    free(all);
    p->called = NULL;
}

static uint8_t
rules_of_word(const struct called_words *all, str word)
{
    text_id id = texts_find(&all->words, word);

    return id ? all->rules[id] : 0;
}

/* A router may have such a method in a file of that language. */
static bool
is_verb(enum lang_id lang, uint8_t known)
{
    if (lang == LANG_RUST)
        return known & (CALLED_VERB | WORD_RUST);
    if (lang == LANG_JAVA || lang == LANG_KOTLIN)
        return known & (CALLED_VERB | WORD_JVM);
    return known & CALLED_VERB;
}

/* A name with dots may end as a path does. */
static uint8_t
rules_of_call(const struct parts *p, struct at call)
{
    struct at callee = part_callee(p, call);
    enum expr_kind kind = part_kind(p, callee);
    str word = part_word(p, callee);
    uint8_t known = rules_of_word(p->called, word);
    uint8_t rules = 0;
    enum lang_id lang = (enum lang_id)part_facts(p, call.file)->lang;

    if (part_expr(p, call)->list_len > 0 && word.len > 0 &&
        (known & CALLED_TOPIC || memchr(word.ptr, '.', word.len)))
        rules |= CALLED_TOPIC;
    if (part_kind(p, call) != EXPR_CALL)
        return rules;
    if (kind == EXPR_INDEX || (kind == EXPR_MEMBER && is_verb(lang, known)))
        rules |= CALLED_VERB;
    if (part_expr(p, call)->list_len > 0 &&
        (kind == EXPR_NAME || (kind == EXPR_MEMBER && known & CALLED_CLIENT)))
        rules |= CALLED_CLIENT;
    return rules;
}

static void
go_through(struct parts *p, uint32_t file, struct called_file *out)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->expr_len; i++) {
        struct at at = {file, i};
        enum expr_kind kind = part_kind(p, at);
        if (kind == EXPR_ELEM)
            out->has_loops = true;
        else if (kind == EXPR_MEMBER && !out->has_loops)
            out->has_loops =
                rules_of_word(p->called, part_word(p, at)) & WORD_LOOP;
        if (kind != EXPR_CALL && kind != EXPR_NEW)
            continue;
        uint8_t rules = rules_of_call(p, at);
        if (!rules)
            continue;
        if (!grow_room(out->calls, out->len, out->cap)) {
            p->failed = true;
            return;
        }
        out->calls[out->len++] = (struct called){i, rules};
    }
}

const struct called_file *
called_in(struct parts *p, uint32_t file)
{
    static const struct called_file none = {.is_made = true};

    if (!open_words(p)) {
        p->failed = true;
        return &none;
    }
    struct called_file *out = &p->called->files[file];
    if (!out->is_made)
        go_through(p, file, out);
    out->is_made = true;
    return out;
}
