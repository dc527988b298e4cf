/*
 * lang_fixture - the facts of a piece of source, as lines to compare.
 *
 *     assert_facts("a.go", "package a\nfunc F() { G() }\n",
 *                  "call #1 line 2:11 G()", NULL);
 *
 * Each line must be one of the lines of facts_dump; one that begins with `!`
 * must not be.  FACTS_SHOW=1 prints what was dumped.
 */
#ifndef TESTS_INDEX_LANG_FIXTURE_H
#define TESTS_INDEX_LANG_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "index/facts.h"
#include "index/lang.h"

/* The table refers to extractors weakly, which links none of an archive: a
 * test asks for its own. */
#define LINK_LANG(name)                                                        \
    extern const struct lang_names linked_##name __asm__("lang_names_" #name); \
    const struct lang_names *const link_##name = &linked_##name

/* Packed and read back, facts say the same. */
static inline void
assert_packs(const struct facts *facts, const char *dump)
{
    struct facts copy;
    struct buf packed = {0};
    struct buf out = {0};

    assert_int_equal(facts_encode(facts, &packed), OK);
    assert_int_equal(facts_decode(&copy, buf_str(&packed)), OK);
    facts_dump(&copy, &out);
    assert_string_equal(buf_cstr(&out), dump);
    facts_fini(&copy);
    buf_fini(&packed);
    buf_fini(&out);
}

/* The dump of what |source| says, or NULL with what went wrong in |err|. */
static inline char *
dump_source(const char *path, str source, enum err *err)
{
    const struct lang *lang = lang_of_path(str_of(path), source);
    struct facts facts;
    struct buf out = {0};
    char *text = NULL;

    assert_non_null(lang);
    *err = lang_facts(lang, str_of(path), source, &lang_limits_default, &facts);
    if (!*err) {
        facts_dump(&facts, &out);
        text = strdup(buf_cstr(&out));
        assert_non_null(text);
        assert_packs(&facts, text);
    }
    buf_fini(&out);
    facts_fini(&facts);
    return text;
}

static inline bool
has_line(const char *dump, const char *line)
{
    size_t len = strlen(line);

    for (const char *at = dump; at && *at;) {
        const char *end = strchr(at, '\n');
        if (end && (size_t)(end - at) == len && memcmp(at, line, len) == 0)
            return true;
        at = end ? end + 1 : NULL;
    }
    return false;
}

static inline void
assert_facts(const char *path, const char *source, ...)
{
    enum err err;
    char *dump = dump_source(path, str_of(source), &err);
    va_list lines;
    int wrong = 0;

    assert_int_equal(err, OK);
    va_start(lines, source);
    for (const char *line = va_arg(lines, const char *); line;
         line = va_arg(lines, const char *)) {
        bool is_unwanted = line[0] == '!';
        if (has_line(dump, line + is_unwanted) != is_unwanted)
            continue;
        fprintf(stderr, "%s: %s\n", is_unwanted ? "unwanted" : "missing",
                line + is_unwanted);
        wrong++;
    }
    va_end(lines);
    if (wrong || getenv("FACTS_SHOW"))
        fprintf(stderr, "%s\n", dump);
    free(dump);
    assert_int_equal(wrong, 0);
}

/* Whatever the bytes are: facts or an error, and no crash. */
static inline void
survive(const char *path, str source)
{
    enum err err;

    free(dump_source(path, source, &err));
}

static inline void
survive_repeated(const char *path, const char *piece, size_t times)
{
    struct buf text = {0};

    for (size_t i = 0; i < times; i++)
        buf_add(&text, str_of(piece));
    assert_false(text.failed);
    survive(path, buf_str(&text));
    buf_fini(&text);
}

/* Every prefix of |source|, and every single byte of it spoilt. */
static inline void
survive_damage(const char *path, const char *source)
{
    size_t len = strlen(source);
    char *copy = strdup(source);

    assert_non_null(copy);
    for (size_t cut = 0; cut < len; cut++)
        survive(path, (str){source, cut});
    for (size_t at = 0; at < len; at++) {
        copy[at] = at % 3 == 0 ? '\0' : at % 3 == 1 ? (char)0xFF : '(';
        survive(path, (str){copy, len});
        copy[at] = source[at];
    }
    free(copy);
}

static inline void
survive_hostile(const char *path)
{
    static const char *const pieces[] = {
        "(",    ")",        "[",    "{",        "}",          "a.",  "f(",
        "a(b)", "\"",       "'",    "`",        "/*",         "a +", "!",
        "-",    "<a>",      "<",    "*",        "@",          "${",  "=>",
        "if",   "\xff\xfe", "x = ", "func() {", "class A { ",
    };

    survive(path, (str){"", 0});
    survive(path, (str){"\0\0\0", 3});
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        survive(path, str_of(pieces[i]));
        survive_repeated(path, pieces[i], 3000);
    }
    survive_repeated(path, "(", 100000);
}

#endif
