/*
 * json - the strict gate in front of cJSON, and the writing of replies.
 *
 * cJSON is lenient: it takes numbers like 01, raw control characters and
 * strings cut short by a NUL, and nests a thousand deep.  What arrives from
 * the network passes json_scan first, so that cJSON only sees RFC 8259 text of
 * bounded depth and size.  What leaves passes json_add_tree, so that whatever
 * a tool found in a span, the reply is well-formed UTF-8 without hidden
 * characters.
 *
 * Threads    Any thread.
 */
#ifndef MCP_JSON_H
#define MCP_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/str.h"

enum {
    JSON_DEPTH_MAX = 64,
    JSON_VALUES_MAX = 65536, /* bounds the tree cJSON builds: about 5 MB */
};

/*
 * json_scan says whether |text| is one JSON value and nothing else: valid
 * UTF-8, RFC 8259 grammar, at most JSON_DEPTH_MAX deep and JSON_VALUES_MAX
 * values, no U+0000 in strings.  If not, |why| says what is wrong, a constant.
 * |id|, unless NULL, is set to the raw token of the member "id" of an outermost
 * object, or to the empty view; also of text that is only beyond these bounds,
 * so that its sender can be told.
 */
bool json_scan(str text, str *id, const char **why);

/*
 * json_token is the raw token at |path|, names of members that end with NULL,
 * in |text|, which json_scan has let through; the empty view if there is none.
 */
str json_token(str text, const char *const *path);

/* json_parse is json_scan and cJSON's parser; NULL and |why| on failure. */
cJSON *json_parse(str text, const char **why);

/* json_add_string appends |text| as a JSON string with its quotes; bytes that
 * are no UTF-8, and hidden and control characters but line ends and tabs,
 * become U+FFFD. */
void json_add_string(struct buf *out, str text);

/* json_add_tree appends |tree| in compact form, cleaned in the same way. */
void json_add_tree(struct buf *out, const cJSON *tree);

/*
 * Without memory cJSON leaves out what it cannot add, and a parser gives no
 * tree.  json_count_failures has failures counted, in the whole program, from
 * then on; json_failures is how many there were, with those of buffers.  An
 * answer during which it rose is not to be sent: parts of it may be missing.
 */
void json_count_failures(void);
uint64_t json_failures(void);

/* json_give and json_push add |item|, which belongs to |object| or |array| from
 * here on; where that fails it is deleted. */
void json_give(cJSON *object, const char *name, cJSON *item);
void json_push(cJSON *array, cJSON *item);

/* json_member is the member |name| of |object|, exactly so spelled, or NULL,
 * also when |object| is no object. */
cJSON *json_member(const cJSON *object, const char *name);

/* json_text is the string in the member |name| of |object|, or NULL. */
const char *json_text(const cJSON *object, const char *name);

/* json_is_unique says whether |object| has |name| at most once.  Two parsers
 * may pick different ones of two, and that is how checks are walked around. */
bool json_is_unique(const cJSON *object, const char *name);

#endif
