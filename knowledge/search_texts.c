/*
 * What was added, by full-text search.  A word that is in one of twenty texts
 * costs much and says little, so in a large collection only the rarer ones are
 * asked for.
 */
#include <ctype.h>
#include <string.h>

#include "knowledge/search_parts.h"
#include "knowledge/text.h"
#include "store/knowledge_store.h"

enum {
    ASKED_MAX = 16,
    WORD_MAX = 64,
    RARE_WORDS = 6,
    LARGE = 5000,      /* texts: below, all words are asked for */
    COMMON_SHARE = 20, /* more than one in so many */
};

struct asked {
    char text[WORD_MAX];
    size_t len;
    int64_t with; /* texts that have it */
};

struct asking {
    struct asked items[ASKED_MAX];
    size_t len;
};

static void
take_asked(struct asking *a, str word)
{
    struct asked *asked = &a->items[a->len];

    if (a->len == ASKED_MAX || word.len < 2 || word.len > WORD_MAX)
        return;
    for (size_t i = 0; i < word.len; i++)
        asked->text[i] = (char)tolower((unsigned char)word.ptr[i]);
    asked->len = word.len;
    for (size_t i = 0; i < a->len; i++)
        if (a->items[i].len == word.len &&
            memcmp(a->items[i].text, asked->text, word.len) == 0)
            return;
    a->len++;
}

/* A name with parts is looked for whole, and by its parts. */
static void
read_query(str query, struct asking *out)
{
    struct buf parts = {0};
    size_t at = 0;
    str word;

    while (text_next_word(query, &at, &word)) {
        char stem[WORD_LEN_MAX];
        size_t len = word.len < sizeof(stem) ? word.len : sizeof(stem);

        for (size_t i = 0; i < len; i++)
            stem[i] = (char)tolower((unsigned char)word.ptr[i]);
        if (search_is_stop((str){stem, len}))
            continue;
        take_asked(out, word);
        buf_reset(&parts);
        text_split(word, &parts);
        str rest = buf_str(&parts);
        size_t from = word.len < rest.len ? word.len : rest.len;
        str part;
        while (text_next_word(rest, &from, &part))
            if (part.len < word.len && part.len > 2)
                take_asked(out, part);
    }
    buf_fini(&parts);
}

/* Counting ends where a word is too common to be asked for, which is most of
 * what counting costs; such a word counts as if one text in four had it. */
static enum err
count_texts(struct knowledge_store *store, struct asked *asked, int64_t texts)
{
    int64_t most = texts < LARGE ? texts : texts / COMMON_SHARE + 1;
    struct buf query = {0};
    enum err err;

    buf_printf(&query, "\"%.*s\"", (int)asked->len, asked->text);
    err = query.failed
              ? ERR_NOMEM
              : ks_number(store, KS_TERM_COUNT,
                          KS_ARGS(ks_text(buf_str(&query)), ks_int(most)),
                          &asked->with);
    if (texts >= LARGE && asked->with == most)
        asked->with = texts / 4;
    buf_fini(&query);
    return err;
}

/* The rarest first. */
static void
sort_asked(struct asking *a)
{
    for (size_t i = 1; i < a->len; i++)
        for (size_t k = i; k > 0 && a->items[k].with < a->items[k - 1].with;
             k--) {
            struct asked swap = a->items[k];
            a->items[k] = a->items[k - 1];
            a->items[k - 1] = swap;
        }
}

static void
keep_rare(struct asking *a, int64_t texts)
{
    size_t kept = 0;

    if (texts < LARGE)
        return;
    sort_asked(a);
    for (size_t i = 0; i < a->len && kept < RARE_WORDS; i++) {
        int64_t with = a->items[i].with;

        /* What no text has costs nothing. */
        if (with && (!kept || with <= texts / COMMON_SHARE))
            a->items[kept++] = a->items[i];
    }
    a->len = kept;
}

/* Tell the words of other lanes how many texts have them. */
static void
tell_words(const struct asking *a, struct search_words *words)
{
    for (size_t i = 0; i < words->len; i++)
        for (size_t k = 0; k < a->len; k++) {
            struct search_word *word = &words->items[i];

            if (a->items[k].len >= word->len &&
                memcmp(a->items[k].text, word->text, word->len) == 0 &&
                (double)a->items[k].with > word->texts)
                word->texts = (double)a->items[k].with;
        }
}

near_spot
lane_text_spot(int64_t oid, int64_t document)
{
    const struct object object = {.oid = document ? document : oid};

    return near_spot_of(&object);
}

static enum err
match(struct lane *lane, const struct buf *query)
{
    struct knowledge_store *store = lane->moment->store;
    const struct ks_value *row;
    enum err err = OK;

    ks_ask(store, KS_FTS_FIND,
           KS_ARGS(ks_text(buf_str(query)), ks_int(SEARCH_LANE_MAX)));
    while (!err && ks_next(store, KS_FTS_FIND, &row))
        err = lane_add(lane, &(struct scored){
                                 .spot = lane_text_spot(row[0].num, row[2].num),
                                 .score = -row[1].real,
                                 .chunk = row[2].num ? row[0].num : 0,
                             });
    enum err end = ks_end(store, KS_FTS_FIND);
    return err ? err : end;
}

enum err
search_texts(struct lane *lane)
{
    struct knowledge_store *store = lane->moment->store;
    struct asking asking = {0};
    struct buf query = {0};
    int64_t texts = 0;
    enum err err;

    if (!store)
        return OK;
    read_query(lane->ask->query, &asking);
    err = ks_number(store, KS_DOC_MOST, NULL, 0, &texts);
    for (size_t i = 0; i < asking.len && !err; i++)
        err = count_texts(store, &asking.items[i], texts);
    lane->words->texts = (double)texts;
    tell_words(&asking, lane->words);
    keep_rare(&asking, texts);
    for (size_t i = 0; i < asking.len; i++)
        buf_printf(&query, "%s\"%.*s\"", i ? " OR " : "",
                   (int)asking.items[i].len, asking.items[i].text);
    if (!err)
        err = query.failed ? ERR_NOMEM : OK;
    if (!err && query.len)
        err = match(lane, &query);
    buf_fini(&query);
    return err;
}
