/*
 * markdown - words in, Markdown out: blocks apart by blank lines, and nothing
 * that looks like a heading or a fence and is none.
 *
 * Memory     The text is the caller's.
 * Threads    None.
 */
#ifndef CRAWL_MARKDOWN_H
#define CRAWL_MARKDOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

struct markdown {
    struct buf *text;
    unsigned gap;    /* line ends owed before the next word */
    bool is_space;   /* a space is owed */
    bool is_word;    /* something of this line is written */
    unsigned item;   /* 1 and more: a bullet of that depth is owed */
    size_t fence_at; /* where code begins */
};

/* markdown_gap: what comes next stands |lines| line ends below; 0: no change.
 */
void markdown_gap(struct markdown *md, unsigned lines);
/* markdown_text writes words; blanks become one. */
void markdown_text(struct markdown *md, str text);
/* markdown_mark writes signs as they are: `## `, or a backtick. */
void markdown_mark(struct markdown *md, str signs);
/* markdown_item: what comes next is an item of a list, |depth| deep from 1. */
void markdown_item(struct markdown *md, unsigned depth);

/* What is appended to md->text between the two is code, as it stands. */
void markdown_code_begin(struct markdown *md);
void markdown_code_end(struct markdown *md);

#endif
