/*
 * Two tables of endings: the first that fits is replaced.
 */
#include "index/routes_words.h"

#include <stdio.h>

#include "index/routes_parts.h"

struct ending {
    const char *end;
    const char *into;
};

static const char *const same[] = {
    "equipment", "information", "rice",  "money", "species",
    "series",    "fish",        "sheep", "jeans", "police",
};

/* One, many: whole words, behind an underscore, too. */
static const struct ending irregular[] = {
    {"person", "people"}, {"man", "men"},       {"child", "children"},
    {"sex", "sexes"},     {"move", "moves"},    {"zombie", "zombies"},
    {"ox", "oxen"},       {"mouse", "mice"},    {"quiz", "quizzes"},
    {"axis", "axes"},     {"testis", "testes"},
};

static const struct ending plurals[] = {
    {"matrix", "matrices"},
    {"vertex", "vertices"},
    {"vertix", "vertices"},
    {"index", "indices"},
    {"x", "xes"},
    {"ch", "ches"},
    {"ss", "sses"},
    {"sh", "shes"},
    {"ay", "ays"},
    {"ey", "eys"},
    {"iy", "iys"},
    {"oy", "oys"},
    {"quy", "quies"},
    {"uy", "uys"},
    {"y", "ies"},
    {"hive", "hives"},
    {"ffe", "ffes"},
    {"fe", "ves"},
    {"lf", "lves"},
    {"rf", "rves"},
    {"sis", "ses"},
    {"ta", "ta"},
    {"ia", "ia"},
    {"tum", "ta"},
    {"ium", "ia"},
    {"buffalo", "buffaloes"},
    {"tomato", "tomatoes"},
    {"bus", "buses"},
    {"alias", "aliases"},
    {"status", "statuses"},
    {"octopus", "octopi"},
    {"virus", "viri"},
    {"s", "s"},
    {"", "s"},
};

static const struct ending singulars[] = {
    {"databases", "database"},
    {"matrices", "matrix"},
    {"vertices", "vertex"},
    {"indices", "index"},
    {"aliases", "alias"},
    {"alias", "alias"},
    {"statuses", "status"},
    {"status", "status"},
    {"crises", "crisis"},
    {"shoes", "shoe"},
    {"oes", "o"},
    {"buses", "bus"},
    {"bus", "bus"},
    {"xes", "x"},
    {"ches", "ch"},
    {"sses", "ss"},
    {"shes", "sh"},
    {"movies", "movie"},
    {"quies", "quy"},
    {"aies", "aie"},
    {"eies", "eie"},
    {"oies", "oie"},
    {"uies", "uie"},
    {"ies", "y"},
    {"lves", "lf"},
    {"rves", "rf"},
    {"tives", "tive"},
    {"hives", "hive"},
    {"ves", "fe"},
    {"analyses", "analysis"},
    {"bases", "basis"},
    {"diagnoses", "diagnosis"},
    {"theses", "thesis"},
    {"synopses", "synopsis"},
    {"ta", "tum"},
    {"ia", "ium"},
    {"news", "news"},
    {"ss", "ss"},
    {"s", ""},
    {"", ""},
};

/* |word| ends with the whole word |last|. */
static bool
ends_with_word(str word, const char *last)
{
    size_t len = str_of(last).len;

    return str_ends(word, str_of(last)) &&
           (word.len == len || word.ptr[word.len - len - 1] == '_');
}

static void
replace(str word, struct ending ending, char *into, size_t cap)
{
    (void)snprintf(into, cap, "%.*s%s",
                   (int)(word.len - str_of(ending.end).len),
                   word.ptr ? word.ptr : "", ending.into);
}

static bool
is_same(str word)
{
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        if (ends_with_word(word, same[i]))
            return true;
    return false;
}

/* True for what no rule is asked about: |by| is what becomes of it. */
static bool
is_exception(str word, bool to_many, struct ending *by)
{
    *by = (struct ending){"", ""};
    if (is_same(word))
        return true;
    for (size_t i = 0; i < sizeof(irregular) / sizeof(irregular[0]); i++) {
        struct ending of = irregular[i];
        bool is_one = ends_with_word(word, of.end);
        if (!is_one && !ends_with_word(word, of.into))
            continue;
        if (is_one && to_many)
            *by = of;
        else if (!is_one && !to_many)
            *by = (struct ending){of.into, of.end};
        return true;
    }
    return false;
}

/* |rules| end with one for every word. */
static void
inflect(str word, bool to_many, const struct ending *rules, char *into,
        size_t cap)
{
    struct ending by;

    if (!is_exception(word, to_many, &by)) {
        while (!str_ends(word, str_of(rules->end)))
            rules++;
        by = *rules;
    }
    replace(word, by, into, cap);
}

void
word_plural(str word, char *into, size_t cap)
{
    inflect(word, true, plurals, into, cap);
}

void
word_singular(str word, char *into, size_t cap)
{
    inflect(word, false, singulars, into, cap);
}
