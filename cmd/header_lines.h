/*
 * header_lines - headers of HTTP as the configuration has them, "Name: value".
 *
 * Values are sent as they are and may be secrets, so nothing may end a line,
 * and what is wrong with one is told without it.
 *
 * Memory     What is cut out of a line is a view of it.
 * Threads    None.
 */
#ifndef CMD_HEADER_LINES_H
#define CMD_HEADER_LINES_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "cmd/config_parts.h"
#include "net/request.h"

/* header_lines_is_name: a token (RFC 9110, 5.6.2). */
bool header_lines_is_name(const char *text);

/* header_lines_cut cuts |line| into |out|; false: it is none. */
bool header_lines_cut(const char *line, struct header *out);

/* header_lines_check: ERR_INVALID, one of |list|, the value of |key|, is no
 * header; |why| says which. */
enum err header_lines_check(const struct config_list *list, const char *key,
                            struct buf *why);

/* header_lines_check_answer says that, too, of those that an answer has anyway
 * or that would change how it is read: its length, its coding, its type, what
 * CORS allows. */
enum err header_lines_check_answer(const struct config_list *list,
                                   const char *key, struct buf *why);

/* header_lines_check_names: the same where names alone are listed. */
enum err header_lines_check_names(const struct config_list *list,
                                  const char *key, struct buf *why);

#endif
