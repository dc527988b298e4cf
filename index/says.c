/*
 * Facts hold the strings that are passed, bound or returned, with the
 * definition around them.  A message is two words or more; one word alone is
 * kept only if nobody would write it for anything else, and a long one with
 * digits in it is not: the keys of clouds look like that.
 */
#include "index/says.h"

#include <ctype.h>
#include <string.h>

enum { MESSAGE_MIN = 8, KEY_MIN = 4, RANDOM_MIN = 16 };

bool
says_is_message(str text)
{
    size_t words = 0;
    size_t letters = 0;

    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];

        letters = isalpha(c) || c >= 0x80 ? letters + 1 : 0;
        words += letters == 2;
    }
    return text.len >= MESSAGE_MIN && words >= 2 &&
           memchr(text.ptr, ' ', text.len);
}

bool
says_is_key(str text)
{
    size_t upper = 0;
    size_t joints = 0;
    size_t digits = 0;
    size_t lower = 0;

    if (text.len < KEY_MIN)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];

        if (!isalnum(c) && c != '_' && c != '-')
            return false;
        upper += isupper(c) != 0;
        lower += islower(c) != 0;
        digits += isdigit(c) != 0;
        joints += i > 0 && (c == '_' || c == '-');
    }
    if (text.ptr[0] == '-')
        return text.ptr[1] == '-' && lower + upper >= 2;
    if (!isupper((unsigned char)text.ptr[0]))
        return false;
    if (digits && !joints && text.len >= RANDOM_MIN)
        return false; /* a credential rather */
    if (!lower)
        return joints || digits || upper > KEY_MIN;
    return joints && upper > 1 && !memchr(text.ptr, '_', text.len);
}

static uint32_t
function_of(const struct resolver *r, const struct facts *facts, uint32_t file,
            uint32_t scope)
{
    uint32_t node = 0;

    for (; scope && !node; scope = facts->defs[scope].parent)
        node = resolve_node(r, file, scope);
    return node ? node : resolve_node(r, file, 0);
}

static void
read_file(const struct resolver *r, const struct facts *facts, uint32_t file,
          uint32_t most, struct code_build *build)
{
    for (uint32_t i = 1; i < facts->expr_len && !build->failed; i++) {
        const struct fact_expr *expr = &facts->exprs[i];
        str text = facts_text(facts, expr->text);

        if (expr->kind != EXPR_STRING || build->literal_len >= most)
            continue;
        text = str_cut(text, 0,
                       text.len < SAYS_BYTES_MAX ? text.len : SAYS_BYTES_MAX);
        if (!says_is_message(text) && !says_is_key(text))
            continue;
        uint32_t node = function_of(r, facts, file, expr->scope);
        if (node)
            (void)code_build_literal(build,
                                     &(struct build_literal){
                                         .text = texts_add(&build->texts, text),
                                         .node = node,
                                         .kind = LITERAL_SAID,
                                     });
    }
}

enum err
says_find(const struct resolver *r, const struct resolve_file *files,
          uint32_t len, struct code_build *build)
{
    uint32_t most = build->literal_len + SAYS_MAX;

    for (uint32_t i = 0; i < len && !build->failed; i++)
        if (!(files[i].facts->flags & (FACTS_TEST | FACTS_GENERATED)))
            read_file(r, files[i].facts, i, most, build);
    return build->failed ? ERR_NOMEM : OK;
}
