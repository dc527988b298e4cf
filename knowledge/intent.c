/*
 * Phrases with `*` for a name, more telling ones first: the first that fits
 * decides.
 */
#include "knowledge/intent.h"

#include <string.h>

#include "knowledge/text.h"

static const char *const names[INTENT_COUNT] = {
    "search",  "callers", "callees",  "path",    "blast_radius",
    "depends", "dead",    "overview", "what_is",
};

const char *
intent_str(enum intent_kind kind)
{
    return names[kind];
}

static const struct phrase {
    const char *text;
    enum intent_kind kind;
} phrases[] = {
    {"path from * to *", INTENT_PATH},
    {"paths from * to *", INTENT_PATH},
    {"path between * and *", INTENT_PATH},
    {"the path from * to *", INTENT_PATH},
    {"how does * reach *", INTENT_PATH},
    {"how does * get to *", INTENT_PATH},
    {"how do i get from * to *", INTENT_PATH},
    {"from * to *", INTENT_PATH},
    {"does * call *", INTENT_PATH},
    {"* -> *", INTENT_PATH},
    {"who calls *", INTENT_CALLERS},
    {"what calls *", INTENT_CALLERS},
    {"which services call *", INTENT_CALLERS},
    {"which functions call *", INTENT_CALLERS},
    {"callers of *", INTENT_CALLERS},
    {"clients of *", INTENT_CALLERS},
    {"consumers of *", INTENT_CALLERS},
    {"who is calling *", INTENT_CALLERS},
    {"who uses *", INTENT_CALLERS},
    {"what uses *", INTENT_CALLERS},
    {"what breaks if i change *", INTENT_BLAST},
    {"what breaks if i remove *", INTENT_BLAST},
    {"what breaks if i delete *", INTENT_BLAST},
    {"what breaks if i rename *", INTENT_BLAST},
    {"what happens if i change *", INTENT_BLAST},
    {"what happens if i remove *", INTENT_BLAST},
    {"what happens if i delete *", INTENT_BLAST},
    {"what breaks if * changes", INTENT_BLAST},
    {"what breaks if * is removed", INTENT_BLAST},
    {"what is the blast radius of *", INTENT_BLAST},
    {"what is affected by *", INTENT_BLAST},
    {"what depends on *", INTENT_BLAST},
    {"who depends on *", INTENT_BLAST},
    {"which services depend on *", INTENT_BLAST},
    {"what is downstream of *", INTENT_DEPENDS},
    {"what is upstream of *", INTENT_BLAST},
    {"blast radius of *", INTENT_BLAST},
    {"blast radius *", INTENT_BLAST},
    {"impact of changing *", INTENT_BLAST},
    {"impact of *", INTENT_BLAST},
    {"what does * depend on", INTENT_DEPENDS},
    {"what does * need", INTENT_DEPENDS},
    {"dependencies of *", INTENT_DEPENDS},
    {"what does * call", INTENT_CALLEES},
    {"who does * call", INTENT_CALLEES},
    {"callees of *", INTENT_CALLEES},
    {"what is called by *", INTENT_CALLEES},
    {"which routes are dead in *", INTENT_DEAD},
    {"which routes of * are dead", INTENT_DEAD},
    {"which routes are dead", INTENT_DEAD},
    {"which routes are unused", INTENT_DEAD},
    {"dead routes of *", INTENT_DEAD},
    {"dead routes in *", INTENT_DEAD},
    {"dead routes", INTENT_DEAD},
    {"unused routes of *", INTENT_DEAD},
    {"unused routes", INTENT_DEAD},
    {"what is dead", INTENT_DEAD},
    {"what is unused", INTENT_DEAD},
    {"overview", INTENT_OVERVIEW},
    {"give me an overview", INTENT_OVERVIEW},
    {"overview of *", INTENT_OVERVIEW},
    {"give me an overview of *", INTENT_OVERVIEW},
    {"tell me everything about *", INTENT_OVERVIEW},
    {"tell me about *", INTENT_OVERVIEW},
    {"everything about *", INTENT_OVERVIEW},
    {"summary of *", INTENT_OVERVIEW},
    {"what is *", INTENT_WHAT_IS},
    {"what's *", INTENT_WHAT_IS},
    {"who is *", INTENT_WHAT_IS},
    {"describe *", INTENT_WHAT_IS},
    {"show me *", INTENT_WHAT_IS},
    {"show *", INTENT_WHAT_IS},
};

/* Quotes, `the` and ends of sentences are no part of a name. */
static str
bare(str text)
{
    text = text_trim(text);
    while (text.len && strchr("?.!", text.ptr[text.len - 1]))
        text = text_trim(str_cut(text, 0, text.len - 1));
    while (text.len > 1 && strchr("\"'`", text.ptr[0]) &&
           text.ptr[0] == text.ptr[text.len - 1])
        text = text_trim(str_cut(text, 1, text.len - 1));
    if (text.len > 4 && text_same(str_cut(text, 0, 4), STR("the ")))
        text = text_trim(str_cut(text, 4, text.len));
    return text;
}

/* The place of |part| in |text| behind |from|; SIZE_MAX: none. */
static size_t
find(str text, str part, size_t from)
{
    for (size_t i = from; i + part.len <= text.len; i++)
        if (text_same(str_cut(text, i, i + part.len), part))
            return i;
    return SIZE_MAX;
}

/* Literal parts stand at the beginning, between and at the end. */
static bool
fits(str text, str phrase, struct intent *out)
{
    str *holes[] = {&out->first, &out->second};
    size_t at = 0;
    size_t hole = 0;

    if (!text.len)
        return false;
    while (phrase.len) {
        const char *star = memchr(phrase.ptr, '*', phrase.len);
        size_t len = star ? (size_t)(star - phrase.ptr) : phrase.len;
        str part = str_cut(phrase, 0, len);
        size_t found = len ? find(text, part, at) : at;

        if (!len && hole)
            found = text.len;
        if (found == SIZE_MAX || (!hole && found != 0) ||
            (!star && found + len != text.len))
            return false;
        if (hole)
            *holes[hole > 1] = bare(str_cut(text, at, found));
        at = found + len;
        if (!star)
            break;
        hole++;
        phrase = str_cut(phrase, len + 1, phrase.len);
        if (!phrase.len)
            *holes[hole > 1] = bare(str_cut(text, at, text.len));
    }
    return (hole < 1 || out->first.len) && (hole < 2 || out->second.len);
}

str
intent_without_kind(str name)
{
    static const char *const kinds[] = {"service",  "route", "endpoint",
                                        "function", "topic", "queue",
                                        "database", "table", "method"};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        str kind = str_of(kinds[i]);
        size_t rest = name.len - kind.len;

        if (name.len < kind.len + 2)
            continue;
        if (text_same(str_cut(name, rest, name.len), kind) &&
            name.ptr[rest - 1] == ' ')
            return bare(str_cut(name, 0, rest));
        if (text_same(str_cut(name, 0, kind.len), kind) &&
            name.ptr[kind.len] == ' ')
            return bare(str_cut(name, kind.len, name.len));
    }
    return name;
}

struct intent
intent_of(str query)
{
    str text = bare(query);

    for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++) {
        struct intent intent = {.kind = phrases[i].kind};

        if (fits(text, str_of(phrases[i].text), &intent))
            return intent;
    }
    return (struct intent){.kind = INTENT_SEARCH, .first = text};
}
