/*
 * The words of code and traces.  Code has an index (graph/code_terms.h); names
 * that traces tell are few beside it and are read through.  Both are scored as
 * one collection, by BM25 over what a word is worth where it stands.
 *
 * The two lanes differ in which terms a word fits: `names` takes the word, and
 * for half what begins with it or what it begins with; `ngram` takes all terms
 * that have enough runs of letters in common with it, too.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "knowledge/search_parts.h"

/* Of BM25: how soon repetition stops to count, how much length does. */
#define BM25_K 1.2
#define BM25_B 0.4
/* What the name is worth in graph/code_terms.c. */
#define UNIT      6.0
#define BY_PREFIX 0.5
/* Below, two words are not like each other. */
#define LIKE_LEAST 0.5
/* What another word for the same is worth, and what a test's name is. */
#define BY_SAME 0.4
#define OF_TEST 0.6

enum { PREFIX_MIN = 4, GRAMS_MAX = 64, JOINED_MIN = 3 };

static const char stops[][8] = {
    "a",      "about", "all",   "also", "am",   "an",    "and",   "any",
    "are",    "as",    "at",    "be",   "been", "but",   "by",    "can",
    "could",  "did",   "do",    "does", "done", "for",   "from",  "had",
    "has",    "hav",   "he",    "how",  "i",    "if",    "in",    "into",
    "is",     "it",    "its",   "may",  "me",   "might", "must",  "my",
    "no",     "not",   "of",    "on",   "or",   "our",   "shall", "she",
    "should", "so",    "som",   "such", "than", "that",  "th",    "their",
    "them",   "then",  "ther",  "thes", "thi",  "thos",  "to",    "us",
    "was",    "we",    "were",  "what", "when", "wher",  "which", "who",
    "whom",   "whos",  "why",   "will", "with", "would", "you",   "your",
    "want",   "need",  "one",   "each", "per",  "every", "som",   "ther",
    "only",   "just",  "there", "here", "very", "been",  "being",
};

bool
search_is_stop(str part)
{
    char word[sizeof(stops[0])] = {0};

    if (part.len == 0 || part.len >= sizeof(word))
        return false;
    memcpy(word, part.ptr, part.len);
    for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
        if (memcmp(word, stops[i], sizeof(word)) == 0)
            return true;
    return false;
}

/* The words of a question while they are read. */
struct reading {
    struct search_words *words;
    char before[WORD_LEN_MAX]; /* the part before, stop or not */
    size_t before_len;
    struct search_word *last; /* that it became; NULL: none */
};

static struct search_word *
add_word(struct search_words *words, str part)
{
    if (part.len < 2 || words->len == SEARCH_WORDS || search_is_stop(part))
        return NULL;
    for (size_t i = 0; i < words->len; i++)
        if (str_eq(part, (str){words->items[i].text, words->items[i].len}))
            return &words->items[i];
    struct search_word *word = &words->items[words->len++];
    memcpy(word->text, part.ptr, part.len);
    word->len = part.len;
    search_find_same(word);
    return word;
}

/* "log in" is written `login`. */
static void
join_words(struct reading *r, struct search_word *word, str part)
{
    size_t len = r->before_len + part.len;

    if (!word || r->before_len < JOINED_MIN || part.len < 2 ||
        len > WORD_LEN_MAX || word->joined_len || word->same_len == SEARCH_SAME)
        return;
    memcpy(word->joined, r->before, r->before_len);
    memcpy(word->joined + r->before_len, part.ptr, part.len);
    word->joined_len = len;
    word->same[word->same_len++] = (str){word->joined, len};
}

static void
take_word(void *ctx, str part)
{
    struct reading *r = ctx;
    struct search_word *word = add_word(r->words, part);

    join_words(r, r->last, part);
    r->last = word;
    r->before_len = part.len;
    memcpy(r->before, part.ptr, part.len);
}

void
search_words_read(str query, struct search_words *out)
{
    struct reading reading = {.words = out};

    *out = (struct search_words){0};
    words_split(query, take_word, &reading);
}

static double
rarity(double all, double with)
{
    with = with < all ? with : all;
    return log(1 + (all - with + 0.5) / (with + 0.5));
}

void
search_words_weigh(struct search_words *words)
{
    for (size_t i = 0; i < words->len; i++) {
        struct search_word *word = &words->items[i];

        word->rarity = rarity(words->places + words->texts + 1,
                              word->places + word->texts);
    }
}

/* ---- runs of letters ---- */

struct grams {
    uint32_t runs[GRAMS_MAX];
    size_t len;
};

static void
make_grams(str text, struct grams *out)
{
    *out = (struct grams){0};
    for (size_t i = 0; i + 3 <= text.len && out->len < GRAMS_MAX; i++)
        out->runs[out->len++] =
            (uint32_t)tolower((unsigned char)text.ptr[i]) << 16 |
            (uint32_t)tolower((unsigned char)text.ptr[i + 1]) << 8 |
            (uint32_t)tolower((unsigned char)text.ptr[i + 2]);
}

static double
like(const struct grams *a, const struct grams *b)
{
    size_t same = 0;

    if (!a->len || !b->len)
        return 0;
    for (size_t i = 0; i < a->len; i++)
        for (size_t k = 0; k < b->len; k++)
            if (a->runs[i] == b->runs[k]) {
                same++;
                break;
            }
    double share = (double)same / sqrt((double)a->len * (double)b->len);
    return share < 1 ? share : 1;
}

double
search_like(str a, str b)
{
    struct grams x;
    struct grams y;

    make_grams(a, &x);
    make_grams(b, &y);
    return like(&x, &y);
}

/* ---- fits ---- */

/* Which nodes a word fits, and for how much. */
struct fits {
    float *worth; /* by vertex, then by observed node */
    uint32_t *met;
    size_t len;
};

struct finding {
    struct lane *lane;
    const struct code_terms *terms;
    uint32_t vertices; /* where observed nodes begin */
    uint32_t all;
    const struct search_observed *observed;
    double *scores;
    uint32_t *met; /* with a score */
    size_t met_len;
    struct fits fits;
    bool is_fuzzy;
    uint8_t *common; /* by term: runs of the word at hand that it has */
    /* the word at hand */
    const struct search_word *word;
    struct grams grams;
    uint64_t mark;
};

static str
text_of(const struct search_word *word)
{
    return (str){word->text, word->len};
}

static void
add_fit(struct finding *f, uint32_t at, double worth)
{
    if (f->fits.worth[at] <= 0)
        f->fits.met[f->fits.len++] = at;
    f->fits.worth[at] += (float)worth;
}

static void
add_term(struct finding *f, uint32_t term, double share)
{
    const struct code_terms *terms = f->terms;

    for (uint32_t i = terms->at[term]; i < terms->at[term + 1]; i++)
        add_fit(f, terms->places[i].node,
                share * (double)terms->places[i].worth);
}

/* Words that are like each other have two runs of letters in common, and so
 * have those that begin alike. */
static bool
has_runs(const struct finding *f, uint64_t mark)
{
    uint64_t both = mark & f->mark;

    return both & (both - 1);
}

/* How much of the word at hand is in |part|, which |mark| is of. */
static double
share_of(const struct finding *f, str part, uint64_t mark)
{
    str word = text_of(f->word);
    size_t least = word.len < part.len ? word.len : part.len;
    struct grams grams;

    if (least >= PREFIX_MIN && memcmp(word.ptr, part.ptr, least) == 0)
        return word.len == part.len ? 1 : BY_PREFIX;
    if (least < PREFIX_MIN && str_eq(word, part))
        return 1;
    if (!f->is_fuzzy || least < PREFIX_MIN || !has_runs(f, mark))
        return 0;
    make_grams(part, &grams);
    double share = like(&f->grams, &grams);
    return share < LIKE_LEAST || search_is_same(f->word, part) ? 0
                                                               : share * share;
}

static void
fit_same(struct finding *f, str same)
{
    uint32_t first;
    uint32_t end;

    code_terms_find(f->terms, same, &first, &end);
    if (first < end && str_eq(f->terms->terms[first], same))
        add_term(f, first, BY_SAME);
}

/* share_of a term, of which is known how many runs are in common. */
static double
share_of_term(const struct finding *f, uint32_t term)
{
    str word = text_of(f->word);
    str part = f->terms->terms[term];
    size_t least = word.len < part.len ? word.len : part.len;

    if (least < PREFIX_MIN || memcmp(word.ptr, part.ptr, least) == 0)
        return share_of(f, part, f->terms->marks[term]);
    double share = (double)f->common[term] /
                   sqrt((double)f->grams.len * (double)(part.len - 2));
    share = share < 1 ? share : 1;
    return share < LIKE_LEAST || search_is_same(f->word, part) ? 0
                                                               : share * share;
}

static void
fit_like(struct finding *f)
{
    memset(f->common, 0, f->terms->len);
    code_runs_count(f->lane->runs, text_of(f->word), f->common);
    for (uint32_t t = 0; t < f->terms->len; t++) {
        double share = f->common[t] && has_runs(f, f->terms->marks[t])
                           ? share_of_term(f, t)
                           : 0;
        if (share > 0)
            add_term(f, t, share);
    }
}

static void
fit_code(struct finding *f)
{
    str word = text_of(f->word);
    uint32_t first;
    uint32_t end;

    if (f->is_fuzzy)
        for (size_t i = 0; i < f->word->same_len; i++)
            fit_same(f, f->word->same[i]);
    if (f->is_fuzzy && word.len >= PREFIX_MIN) {
        fit_like(f);
        return;
    }
    code_terms_find(f->terms, word, &first, &end);
    for (uint32_t t = first; t < end; t++) {
        double share = share_of(f, f->terms->terms[t], 0);
        if (share > 0)
            add_term(f, t, share);
    }
    for (size_t len = PREFIX_MIN; len < word.len; len++) {
        str start = str_cut(word, 0, len);
        code_terms_find(f->terms, start, &first, &end);
        if (first < end && str_eq(f->terms->terms[first], start))
            add_term(f, first, BY_PREFIX);
    }
}

static void
fit_observed(struct finding *f)
{
    const struct search_observed *o = f->observed;

    for (text_id t = 1; t < o->texts.len; t++) {
        str part = texts_get(&o->texts, t);
        double share = share_of(f, part, o->marks[t]);

        if (share <= 0 && f->is_fuzzy && search_is_same(f->word, part))
            share = BY_SAME;
        for (uint32_t i = o->at[t]; share > 0 && i < o->at[t + 1]; i++)
            add_fit(f, f->vertices + o->places[i].node,
                    share * (double)o->places[i].worth);
    }
}

static double
length_of(const struct finding *f, uint32_t at)
{
    if (f->terms && at < f->vertices)
        return f->terms->mean > 0 ? f->terms->lengths[at] / f->terms->mean : 1;
    const struct search_observed *o = f->observed;
    return o->mean > 0 ? o->parts[at - f->vertices] / o->mean : 1;
}

static void
score_fits(struct finding *f)
{
    double all = f->lane->words->places;
    double with = (double)f->fits.len;
    double weight = log(1 + (all - with + 0.5) / (with + 0.5));

    for (size_t i = 0; i < f->fits.len; i++) {
        uint32_t at = f->fits.met[i];
        double often = (double)f->fits.worth[at] / UNIT;

        if (f->scores[at] <= 0)
            f->met[f->met_len++] = at;
        f->scores[at] +=
            weight * often * (BM25_K + 1) /
            (often + BM25_K * (1 - BM25_B + BM25_B * length_of(f, at)));
        f->fits.worth[at] = 0;
    }
    f->fits.len = 0;
}

/* ---- the lanes ---- */

static enum err
open_finding(struct finding *f, struct lane *lane)
{
    f->observed = lane->observed;
    f->vertices = f->terms ? lane->moment->joined->code->node_len : 0;
    f->all = f->vertices + (uint32_t)f->observed->ids.len + 1;
    f->scores = calloc(f->all, sizeof(*f->scores));
    f->met = calloc(f->all, sizeof(*f->met));
    f->fits.worth = calloc(f->all, sizeof(*f->fits.worth));
    f->fits.met = calloc(f->all, sizeof(*f->fits.met));
    f->common = calloc(f->terms ? f->terms->len + 1 : 1, 1);
    if (!f->scores || !f->met || !f->fits.worth || !f->fits.met || !f->common)
        return ERR_NOMEM;
    lane->words->places =
        (double)f->observed->ids.len + (f->terms ? f->terms->counted : 0);
    return OK;
}

static void
close_finding(struct finding *f)
{
    free(f->scores);
    free(f->met);
    free(f->fits.worth);
    free(f->fits.met);
    free(f->common);
}

/* Only the best are worth a row: a heap would be faster, a bar is simpler. */
static double
bar_of(const struct finding *f)
{
    double most = 0;

    for (size_t i = 0; i < f->met_len; i++)
        most = f->scores[f->met[i]] > most ? f->scores[f->met[i]] : most;
    return most * 0.2;
}

static enum err
take_scores(struct finding *f)
{
    double bar = bar_of(f);
    enum err err = OK;

    for (size_t i = 0; i < f->met_len && !err; i++) {
        uint32_t at = f->met[i];
        struct object object = {0};

        double score = f->scores[at];
        if (at < f->vertices && f->lane->moment->joined->code->nodes[at].flags &
                                    (CODE_TEST | CODE_GENERATED))
            score *= OF_TEST;
        if (score < bar)
            continue;
        if (at < f->vertices)
            object.vertex = at;
        else
            object.node = f->observed->ids.ids[at - f->vertices];
        err = lane_add(f->lane,
                       &(struct scored){near_spot_of(&object), score, 0, 0});
    }
    return err;
}

static enum err
find_words(struct lane *lane, bool is_fuzzy)
{
    struct finding f = {
        .lane = lane, .terms = lane->terms, .is_fuzzy = is_fuzzy};
    enum err err = open_finding(&f, lane);

    for (size_t i = 0; i < lane->words->len && !err; i++) {
        f.word = &lane->words->items[i];
        make_grams(text_of(f.word), &f.grams);
        f.mark = code_terms_mark(text_of(f.word));
        if (f.terms)
            fit_code(&f);
        fit_observed(&f);
        if (!is_fuzzy || f.word->same_len)
            lane->words->items[i].places = (double)f.fits.len;
        score_fits(&f);
        if (lane_is_late(lane))
            err = ERR_STORE;
    }
    if (!err)
        err = take_scores(&f);
    close_finding(&f);
    return err;
}

enum err
search_names(struct lane *lane)
{
    return find_words(lane, false);
}

enum err
search_ngrams(struct lane *lane)
{
    return find_words(lane, true);
}
