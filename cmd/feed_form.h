/*
 * feed_form - what a stream of requests holds, told by how it begins.
 *
 *     while (more can come && (wanted = feed_form_bytes(bytes)))
 *         bytes = so many of the first bytes
 *     switch (feed_form_of(bytes))
 *
 * Threads    Any.
 */
#ifndef CMD_FEED_FORM_H
#define CMD_FEED_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum {
    FEED_FRAME_HEAD = 4, /* bytes of the length before a frame */
};

enum feed_form {
    FEED_TEXT,    /* JSON, or nothing */
    FEED_FRAMES,  /* each behind its length */
    FEED_MESSAGE, /* one, or what none of these is */
};

/* feed_form_bytes is how many of the first bytes are needed to tell the form,
 * of which |bytes| are there; 0: these are enough. */
size_t feed_form_bytes(str bytes);

/* feed_form_of tells the form by |bytes|, as many as are needed or all that
 * there are. */
enum feed_form feed_form_of(str bytes);

/* feed_frame_len is what the length |head|, FEED_FRAME_HEAD bytes, says. */
size_t feed_frame_len(str head);

/* feed_is_json_frame says whether a frame's plain content is JSON. */
bool feed_is_json_frame(str content);

/* feed_is_blank: it means nothing between two requests of text. */
bool feed_is_blank(char c);

#endif
