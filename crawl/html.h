/*
 * html - what a page says, as Markdown: headings, paragraphs, lists, tables,
 * code; and where its links lead.
 *
 * Parsed as browsers do (gumbo, HTML5).  What is not said to the reader is
 * left out: scripts, styles, forms' widgets, and what surrounds every page of
 * a site (nav, aside, footer, a header outside of the article); if the page
 * has a `main`, only that counts.  Links count wherever they stand.
 *
 * Bound      HTML_MEMORY for the tree, whatever the bytes; no recursion.
 * Threads    Any; pure functions.
 */
#ifndef CRAWL_HTML_H
#define CRAWL_HTML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum {
    HTML_MEMORY = 256 << 20,
    HTML_LINKS = 2000, /* of a page; more do not count */
};

struct html_page {
    struct buf title;
    struct buf text;      /* |text.cap_max| is set by the caller */
    struct buf links;     /* of crawl/fields.h: href as it stands */
    struct buf base;      /* <base href>, or empty */
    struct buf canonical; /* <link rel=canonical>, or empty */
    size_t link_len;
    bool no_index; /* <meta name=robots> */
    bool no_follow;
};
void html_page_fini(struct html_page *page);

/* html_read reads |html|, which is UTF-8; title and text are as charset_decode
 * gives text.  ERR_TOO_LARGE: the tree does not fit HTML_MEMORY, or the text
 * its buffer; ERR_NOMEM. */
enum err html_read(str html, struct html_page *out);

#endif
