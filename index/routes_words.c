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

    return str_ends(word, last) &&
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

void
word_plural(str word, char *into, size_t cap)
{
    size_t i = 0;

    if (is_same(word)) {
        replace(word, (struct ending){"", ""}, into, cap);
        return;
    }
    for (; i < sizeof(irregular) / sizeof(irregular[0]); i++)
        if (ends_with_word(word, irregular[i].end) ||
            ends_with_word(word, irregular[i].into)) {
            bool is_many = !ends_with_word(word, irregular[i].end);
            replace(word, is_many ? (struct ending){"", ""} : irregular[i],
                    into, cap);
            return;
        }
    for (i = 0; !str_ends(word, plurals[i].end);)
        i++;
    replace(word, plurals[i], into, cap);
}

void
word_singular(str word, char *into, size_t cap)
{
    size_t i = 0;

    if (is_same(word)) {
        replace(word, (struct ending){"", ""}, into, cap);
        return;
    }
    for (; i < sizeof(irregular) / sizeof(irregular[0]); i++)
        if (ends_with_word(word, irregular[i].into)) {
            replace(word, (struct ending){irregular[i].into, irregular[i].end},
                    into, cap);
            return;
        }
    for (i = 0; !str_ends(word, singulars[i].end);)
        i++;
    replace(word, singulars[i], into, cap);
}
