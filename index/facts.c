/*
 * Five arrays and a block of text.  Row 0 of each means none, so an index that
 * could not be given (no memory, too many rows) is a harmless one.  Strings
 * are interned by an open table of ids that is dropped when the facts are
 * packed.
 */
#include "index/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* A full table is a limit of the file; a failed allocation is ours. */
static uint32_t
refuse(struct facts *facts, uint32_t len)
{
    facts->flags |= FACTS_PARTIAL;
    if (len < FACTS_ROWS_MAX)
        facts->failed = true;
    return 0;
}

#define ROOM(rows, len, cap) \
    ((len) < FACTS_ROWS_MAX && grow_room(rows, len, cap))

enum err
facts_init(struct facts *facts, enum lang_id lang)
{
    *facts = (struct facts){.lang = (uint8_t)lang};
    enum err err = texts_init(&facts->texts, FACTS_TEXT_MAX);
    if (err)
        return err;
    facts_def(facts, &(struct fact_def){.kind = CODE_FILE});
    facts_expr(facts, &(struct fact_expr){0});
    facts_bind(facts, &(struct fact_bind){0});
    facts_import(facts, &(struct fact_import){0});
    facts_comment(facts, 0, 0);
    facts_list(facts, &(uint32_t){0}, 1);
    if (facts->failed) {
        facts_fini(facts);
        return ERR_NOMEM;
    }
    return OK;
}

void
facts_fini(struct facts *facts)
{
    free(facts->defs);
    free(facts->exprs);
    free(facts->binds);
    free(facts->imports);
    free(facts->comments);
    free(facts->lists);
    texts_fini(&facts->texts);
    *facts = (struct facts){0};
}

/* Cuts at a character. */
static str
clip(str text)
{
    size_t len = text.len < FACT_STR_MAX ? text.len : FACT_STR_MAX;

    while (len > 0 && len < text.len &&
           ((unsigned char)text.ptr[len] & 0xC0) == 0x80)
        len--;
    return str_cut(text, 0, len);
}

str_id
facts_str(struct facts *facts, str text)
{
    struct texts *texts = &facts->texts;

    text = clip(text);
    if (facts->failed)
        return 0;
    if (texts->text.len + text.len > FACTS_TEXT_MAX)
        return refuse(facts, FACTS_ROWS_MAX);
    str_id id = texts_add(texts, text);
    facts->failed = texts->failed;
    return id;
}

uint32_t
facts_def(struct facts *facts, const struct fact_def *def)
{
    if (!ROOM(facts->defs, facts->def_len, facts->def_cap))
        return refuse(facts, facts->def_len);
    facts->defs[facts->def_len] = *def;
    return facts->def_len++;
}

uint32_t
facts_expr(struct facts *facts, const struct fact_expr *expr)
{
    if (!ROOM(facts->exprs, facts->expr_len, facts->expr_cap))
        return refuse(facts, facts->expr_len);
    facts->exprs[facts->expr_len] = *expr;
    return facts->expr_len++;
}

uint32_t
facts_bind(struct facts *facts, const struct fact_bind *bind)
{
    if (!ROOM(facts->binds, facts->bind_len, facts->bind_cap))
        return refuse(facts, facts->bind_len);
    facts->binds[facts->bind_len] = *bind;
    return facts->bind_len++;
}

uint32_t
facts_import(struct facts *facts, const struct fact_import *import)
{
    if (!ROOM(facts->imports, facts->import_len, facts->import_cap))
        return refuse(facts, facts->import_len);
    facts->imports[facts->import_len] = *import;
    return facts->import_len++;
}

uint32_t
facts_comment(struct facts *facts, uint32_t line, str_id text)
{
    if (!ROOM(facts->comments, facts->comment_len, facts->comment_cap))
        return refuse(facts, facts->comment_len);
    facts->comments[facts->comment_len] = (struct fact_comment){line, text};
    return facts->comment_len++;
}

uint32_t
facts_list(struct facts *facts, const uint32_t *exprs, uint32_t len)
{
    uint32_t at = facts->list_len;

    for (uint32_t i = 0; i < len; i++) {
        if (!ROOM(facts->lists, facts->list_len, facts->list_cap)) {
            facts->list_len = at;
            facts->failed = true;
            return refuse(facts, facts->list_len);
        }
        facts->lists[facts->list_len++] = exprs[i];
    }
    return at;
}
