/*
 * A macro is a word in capitals.  It is no type where a type, or a word that
 * stands in front of one, comes next, or where two names come next.
 */
#include "index/c_macro.h"

#include <stdlib.h>
#include <string.h>

/* A type of more names is none. */
enum { NAMES_MAX = 16 };

static bool
is_word_char(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c >= '0' && c <= '9') || c == '_';
}

/* The word at |at|; empty where a number or none begins there. */
static str
word_at(str text, size_t at)
{
    size_t end = at;

    if (at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9')
        return str_cut(text, at, at);
    while (end < text.len && is_word_char(text.ptr[end]))
        end++;
    return str_cut(text, at, end);
}

/* Behind the comment or the line of a directive at |at|; |at| where there is
 * none. */
static size_t
comment_end(str text, size_t at)
{
    if (at < text.len && text.ptr[at] == '#') {
        while (at < text.len &&
               (text.ptr[at] != '\n' || text.ptr[at - 1] == '\\'))
            at++;
        return at;
    }
    if (at + 1 >= text.len || text.ptr[at] != '/')
        return at;
    bool is_line = text.ptr[at + 1] == '/';
    if (!is_line && text.ptr[at + 1] != '*')
        return at;
    const char *end =
        is_line ? memchr(text.ptr + at, '\n', text.len - at)
                : memmem(text.ptr + at + 2, text.len - at - 2, "*/", 2);
    return end ? (size_t)(end - text.ptr) + (is_line ? 1 : 2) : text.len;
}

static size_t
skip_blanks(str text, size_t at)
{
    size_t from;

    do {
        from = at;
        while (at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\t' ||
                                 text.ptr[at] == '\n' || text.ptr[at] == '\r'))
            at++;
        at = comment_end(text, at);
    } while (at > from);
    return at;
}

/* One letter names a type of a template. */
static bool
is_capitals(str word)
{
    for (size_t i = 0; i < word.len; i++)
        if (word.ptr[i] >= 'a' && word.ptr[i] <= 'z')
            return false;
    return word.len > 1;
}

/* `ABSL_NAMESPACE_BEGIN`, `END_DECLS` */
static bool
is_named_begin_or_end(str word)
{
    size_t at = 0;

    for (size_t i = 0; i <= word.len; i++) {
        if (i < word.len && word.ptr[i] != '_')
            continue;
        str part = str_cut(word, at, i);
        if (str_eq(part, STR("BEGIN")) || str_eq(part, STR("END")))
            return true;
        at = i + 1;
    }
    return false;
}

static bool
is_alone(str text, size_t at)
{
    while (at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\t' ||
                             text.ptr[at] == '\r'))
        at++;
    return at == text.len || text.ptr[at] == '\n' ||
           (text.ptr[at] == '/' && at + 1 < text.len &&
            (text.ptr[at + 1] == '/' || text.ptr[at + 1] == '*'));
}

static int
compare_word(const void *key, const void *item)
{
    return str_order(*(const str *)key, str_of(*(const char *const *)item));
}

/* Words that begin a declaration, and stand behind no type. */
static bool
begins_declaration(str word)
{
    static const char *const words[] = {
        "auto",     "bool",     "char",   "class",    "constexpr", "double",
        "enum",     "explicit", "extern", "float",    "friend",    "inline",
        "int",      "long",     "short",  "signed",   "static",    "struct",
        "template", "typedef",  "union",  "unsigned", "virtual",   "void",
    };

    return bsearch(&word, words, sizeof(words) / sizeof(words[0]),
                   sizeof(words[0]), compare_word) != NULL;
}

/* Words that are no name of a type or of what is declared. */
static bool
is_keyword(str word)
{
    static const char *const words[] = {
        "case",   "const",    "co_await", "co_return", "co_yield", "delete",
        "do",     "else",     "final",    "for",       "goto",     "if",
        "new",    "noexcept", "operator", "override",  "return",   "sizeof",
        "switch", "throw",    "using",    "volatile",  "while",
    };

    if (str_starts(word, STR("__")))
        return true;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (str_eq(word, str_of(words[i])))
            return true;
    return false;
}

/* Behind the arguments of a template that may begin at |at|. */
static size_t
angles_end(str text, size_t at)
{
    int depth = 0;

    for (size_t i = at; i < text.len && i < at + C_MACRO_ARGUMENTS_MAX; i++) {
        char c = text.ptr[i];
        depth += (c == '<') - (c == '>');
        if (depth == 0)
            return i > at ? i + 1 : at;
        if (c == ';' || c == '{' || c == '}')
            return at;
    }
    return at;
}

/* Behind a type, `a::b<c> *`; |at| where none begins. */
static size_t
type_end(str text, size_t at)
{
    size_t end = at;

    for (int i = 0; i < NAMES_MAX; i++) {
        str word = word_at(text, end);
        if (word.len == 0 || is_keyword(word) || is_capitals(word))
            return at;
        end = angles_end(text, end + word.len);
        if (!str_starts(str_cut(text, end, text.len), STR("::"))) {
            end = skip_blanks(text, end);
            while (end < text.len &&
                   (text.ptr[end] == '*' || text.ptr[end] == '&'))
                end = skip_blanks(text, end + 1);
            return end;
        }
        end += 2;
    }
    return at;
}

/* `int f`, `absl::Time f`, `inline` */
static bool
is_declaration(str text, size_t at)
{
    str word = word_at(text, at);

    if (begins_declaration(word))
        return true;
    size_t end = type_end(text, at);
    if (end == at)
        return false;
    str name = word_at(text, end);
    return name.len > 0 && !is_capitals(name) && !is_keyword(name);
}

/* Behind what a macro is given, where that is the next thing. */
static size_t
arguments_end(str text, size_t at)
{
    size_t open = skip_blanks(text, at);
    size_t most = open + C_MACRO_ARGUMENTS_MAX;
    int depth = 0;

    if (open == text.len || text.ptr[open] != '(')
        return at;
    for (size_t i = open; i < text.len && i < most; i++) {
        char c = text.ptr[i];
        if (c == ';' || c == '{' || c == '}' || c == '#')
            return at;
        depth += (c == '(') - (c == ')');
        if (depth == 0)
            return i + 1;
    }
    return at;
}

/* Behind the macro that may begin at |at|, with what it is given. */
static size_t
one_end(str text, size_t at)
{
    str word = word_at(text, at);
    size_t end = at + word.len;

    if (!is_capitals(word) || (end < text.len && is_word_char(text.ptr[end])))
        return at;
    return arguments_end(text, end);
}

size_t
c_macro_end(str text, size_t at)
{
    size_t first = one_end(text, at);
    size_t end = first;

    if (end == at)
        return at;
    str word = word_at(text, at);
    if (is_named_begin_or_end(word) && is_alone(text, at + word.len))
        return first;
    for (int many = 0; many < C_MACRO_CHAIN_MAX; many++) {
        size_t next = skip_blanks(text, end);
        if (next == end)
            return at;
        if (is_declaration(text, next))
            return first;
        end = one_end(text, next);
        if (end == next)
            return at;
    }
    return at;
}

/* What is defined by that name: `Foo {`, `Foo : public Bar {`, `Foo final`. */
static bool
is_class_head(str text, size_t at)
{
    str name = word_at(text, at);

    if (name.len == 0 || is_keyword(name))
        return false;
    size_t next = skip_blanks(text, at + name.len);
    if (str_eq(word_at(text, next), STR("final")))
        return true;
    if (next >= text.len)
        return false;
    return text.ptr[next] == '{' ||
           (text.ptr[next] == ':' &&
            (next + 1 == text.len || text.ptr[next + 1] != ':'));
}

static bool
begins_class(str word)
{
    return str_eq(word, STR("class")) || str_eq(word, STR("struct")) ||
           str_eq(word, STR("union"));
}

str
c_macro_of_class(str text, size_t at)
{
    const str none = str_cut(text, at, at);

    if (!strchr("csu", text.ptr[at]) ||
        (at > 0 && is_word_char(text.ptr[at - 1])))
        return none;
    str word = word_at(text, at);
    if (!begins_class(word))
        return none;
    size_t from = skip_blanks(text, at + word.len);
    size_t to = from;
    for (int many = 0; many < C_MACRO_CHAIN_MAX; many++) {
        str macro = word_at(text, to);
        if (!is_capitals(macro))
            break;
        to = skip_blanks(text, arguments_end(text, to + macro.len));
        if (is_class_head(text, to))
            return str_cut(text, from, to);
    }
    return none;
}
