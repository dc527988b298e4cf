/*
 * One pass over all places notes which words fit each, with how often, in a
 * list; how many places a word fits is known only after it, and then the list
 * is scored.  So nothing is kept between questions, and nothing can be stale.
 */
#include "graph/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "graph/code_find.h"
#include "graph/words_exact.h"

/* Of BM25: how soon repetition stops to count, how much length does. */
#define BM25_K 1.2
#define BM25_B 0.5

/* What a fit in a field is worth; a word that only begins a part, half. */
enum { IN_NAME = 6, IN_SIGNATURE = 2, IN_PACKAGE = 2, IN_PATH = 2, HALF = 2 };
enum { PREFIX_MIN = 4, STEM_MIN = 3 };

static const char *const stops[] = {
    "a",     "about",  "add",       "all",      "also",  "an",     "and",
    "any",   "are",    "as",        "at",       "be",    "before", "but",
    "by",    "can",    "chang",     "code",     "do",    "does",   "fix",
    "for",   "from",   "function",  "get",      "has",   "hav",    "how",
    "i",     "if",     "implement", "in",       "into",  "is",     "it",
    "mak",   "method", "mor",       "need",     "new",   "not",    "of",
    "on",    "or",     "our",       "refactor", "remov", "should", "so",
    "that",  "th",     "then",      "ther",     "thi",   "to",     "updat",
    "us",    "want",   "was",       "we",       "what",  "when",   "wher",
    "which", "who",    "why",       "will",     "with",  "you",
};

bool
words_is_stop(str part)
{
    for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
        if (str_eq(part, str_of(stops[i])))
            return true;
    return false;
}

/* ---- parts ---- */

/* Light: what English and code add at the end of one and the same word: ing,
 * ies, ed, es, s, e, y, if STEM_MIN letters are left; "class" keeps its s, and
 * "the" and "use" lose their e all the same. */
static size_t
stem(const char *word, size_t len)
{
    char before = (char)(len > 1 ? word[len - 2] : '\0');

    if (len < STEM_MIN)
        return len;
    switch (word[len - 1]) {
    case 'e':
        return len - 1;
    case 'y':
        return len > STEM_MIN ? len - 1 : len;
    case 'd':
        return len > STEM_MIN + 1 && before == 'e' ? len - 2 : len;
    case 'g':
        return len > STEM_MIN + 2 && before == 'n' && word[len - 3] == 'i'
                   ? len - 3
                   : len;
    case 's':
        if (before == 'e' && len > STEM_MIN + 2 && word[len - 3] == 'i')
            return len - 3;
        if (before == 'e' && len > STEM_MIN + 1)
            return len - 2;
        return len > STEM_MIN && before != 's' ? len - 1 : len;
    default:
        return len;
    }
}

/* Of ASCII, whatever the locale; what is beyond it is letters without case. */
static bool
is_small(unsigned char c)
{
    return (unsigned char)(c - 'a') < 26;
}

static bool
is_capital(unsigned char c)
{
    return (unsigned char)(c - 'A') < 26;
}

static bool
is_digit(unsigned char c)
{
    return (unsigned char)(c - '0') < 10;
}

static bool
is_letter(unsigned char c)
{
    return is_small(c) || is_capital(c) || is_digit(c) || c >= 0x80;
}

/* A part ends before a capital behind a small letter or a digit, and before the
 * last capital of several when a small letter follows: HTTPServer. */
static bool
ends_part(str text, size_t i)
{
    unsigned char before = (unsigned char)text.ptr[i - 1];
    unsigned char c = (unsigned char)text.ptr[i];

    if (!is_capital(c))
        return !is_letter(c);
    if (is_small(before) || is_digit(before))
        return true;
    return is_capital(before) && i + 1 < text.len &&
           is_small((unsigned char)text.ptr[i + 1]);
}

void
words_split(str text, words_part_fn *fn, void *ctx)
{
    for (size_t i = 0; i < text.len;) {
        char part[WORD_LEN_MAX];
        size_t len = 0;

        if (!is_letter((unsigned char)text.ptr[i])) {
            i++;
            continue;
        }
        do {
            unsigned char c = (unsigned char)text.ptr[i];

            if (len < sizeof(part))
                part[len++] = (char)(is_capital(c) ? c | 0x20 : c);
            i++;
        } while (i < text.len && !ends_part(text, i));
        fn(ctx, (str){part, stem(part, len)});
    }
}

/* ---- the words of the task ---- */

struct word {
    char text[WORD_LEN_MAX];
    size_t len;
    uint32_t places; /* that it fits */
};

struct fit {
    uint32_t place;
    uint16_t word;
    float often;
};

struct searching {
    const struct joined *joined;
    struct query_view *view;
    struct word words[WORDS_MAX];
    size_t word_len;
    double often[WORDS_MAX]; /* in the place at hand */
    double field;            /* what a fit in the field at hand is worth */
    uint32_t parts;          /* of the place at hand */
    struct fit *fits;        /* by place */
    size_t fit_len;
    size_t fit_cap;
    float *lengths; /* by place */
    double length_sum;
    uint32_t counted;
};

static void
take_word(void *ctx, str part)
{
    struct searching *s = ctx;

    if (words_is_stop(part) || part.len < 2 || s->word_len == WORDS_MAX)
        return;
    for (size_t i = 0; i < s->word_len; i++)
        if (str_eq(part, (str){s->words[i].text, s->words[i].len}))
            return;
    struct word *word = &s->words[s->word_len++];
    memcpy(word->text, part.ptr, part.len);
    word->len = part.len;
}

static void
match_part(void *ctx, str part)
{
    struct searching *s = ctx;

    s->parts++;
    for (size_t i = 0; i < s->word_len; i++) {
        const struct word *word = &s->words[i];
        size_t least = word->len < part.len ? word->len : part.len;

        if (word->text[0] != part.ptr[0] ||
            memcmp(word->text, part.ptr, least) != 0)
            continue;
        if (word->len == part.len)
            s->often[i] += s->field;
        else if (least >= PREFIX_MIN)
            s->often[i] += s->field / HALF;
    }
}

static void
match_field(struct searching *s, str text, int worth)
{
    s->field = worth;
    words_split(text, match_part, s);
}

/* ---- places ---- */

static bool
match_place(struct searching *s, uint32_t place)
{
    const struct code *code = s->joined->code;
    uint32_t vertex = joined_vertex(s->joined, place);

    if (vertex) {
        const struct code_vertex *node = code_node(code, vertex);
        if (node->kind == CODE_FILE || node->kind == CODE_PACKAGE ||
            node->kind == CODE_EXTERNAL)
            return false;
        match_field(s, node->name, IN_NAME);
        match_field(s, node->signature, IN_SIGNATURE);
        match_field(s, node->package, IN_PACKAGE);
        if (node->file)
            match_field(s, code->files[node->file].path, IN_PATH);
        return true;
    }
    uint32_t id = joined_node(s->joined, place);
    const struct query_node *node = query_node(s->view, id);
    if (node->kind == NODE_NONE || node->kind > NODE_SYMBOL ||
        joined_place(s->joined, id) != place)
        return false;
    match_field(s, node->name, IN_NAME);
    if (node->owner)
        match_field(s, node->service, IN_PACKAGE);
    return true;
}

static enum err
add_fit(struct searching *s, uint32_t place, size_t word, double often)
{
    if (!grow_room(s->fits, s->fit_len, s->fit_cap))
        return ERR_NOMEM;
    s->fits[s->fit_len++] = (struct fit){place, (uint16_t)word, (float)often};
    s->words[word].places++;
    return OK;
}

static enum err
match_all(struct searching *s)
{
    enum err err = OK;

    for (uint32_t p = 1; p < s->joined->place_len && !err; p++) {
        memset(s->often, 0, sizeof(s->often));
        s->parts = 0;
        if (!match_place(s, p))
            continue;
        s->lengths[p] = (float)s->parts;
        s->length_sum += s->parts;
        s->counted++;
        for (size_t i = 0; i < s->word_len && !err; i++)
            if (s->often[i] > 0)
                err = add_fit(s, p, i, s->often[i]);
    }
    return err;
}

/* ---- scores ---- */

static double
score_fit(const struct searching *s, const struct fit *fit)
{
    double places = s->words[fit->word].places;
    double rarity = log(1 + (s->counted - places + 0.5) / (places + 0.5));
    double mean = s->counted ? s->length_sum / s->counted : 1;
    double length = mean > 0 ? (double)s->lengths[fit->place] / mean : 1;
    double often = (double)fit->often / IN_NAME;

    return rarity * often * (BM25_K + 1) /
           (often + BM25_K * (1 - BM25_B + BM25_B * length));
}

static int
compare_hits(const void *left, const void *right)
{
    const struct words_hit *a = left;
    const struct words_hit *b = right;

    if (a->is_exact != b->is_exact)
        return a->is_exact ? -1 : 1;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static void
score_places(const struct searching *s, struct words_hits *out)
{
    size_t from = out->len;
    double most = 0;

    for (size_t i = 0; i < s->fit_len;) {
        uint32_t place = s->fits[i].place;
        double score = 0;
        bool is_exact = false;

        for (; i < s->fit_len && s->fits[i].place == place; i++)
            score += score_fit(s, &s->fits[i]);
        out->matched++;
        for (size_t k = 0; k < from && !is_exact; k++)
            is_exact = out->rows[k].place == place;
        if (is_exact)
            continue;
        out->rows[out->len++] = (struct words_hit){place, score, false};
        most = score > most ? score : most;
    }
    for (size_t i = from; i < out->len && most > 0; i++)
        out->rows[i].score /= most;
}

enum err
words_find(const struct joined *joined, struct query_view *view, str task,
           size_t max, struct words_hits *out)
{
    struct searching s = {.joined = joined, .view = view};
    struct ids exact = {0};
    enum err err;

    *out = (struct words_hits){0};
    words_split(task, take_word, &s);
    s.lengths = calloc((size_t)joined->place_len + 1, sizeof(*s.lengths));
    if (!s.lengths) {
        err = ERR_NOMEM;
        goto out;
    }
    if ((err = words_find_exact(joined, view, task, &exact)) ||
        (err = match_all(&s)))
        goto out;
    out->rows = calloc(s.fit_len + exact.len + 1, sizeof(*out->rows));
    if (!out->rows) {
        err = ERR_NOMEM;
        goto out;
    }
    for (size_t i = 0; i < exact.len; i++)
        out->rows[out->len++] = (struct words_hit){exact.ids[i], 1, true};
    score_places(&s, out);
    if (out->matched < out->len)
        out->matched = out->len;
    if (out->len)
        qsort(out->rows, out->len, sizeof(*out->rows), compare_hits);
    out->len = out->len < max ? out->len : max;
out:
    free(s.lengths);
    free(s.fits);
    ids_fini(&exact);
    if (err)
        words_fini(out);
    return err;
}

void
words_fini(struct words_hits *hits)
{
    free(hits->rows);
    *hits = (struct words_hits){0};
}
