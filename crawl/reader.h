/*
 * reader - a process that turns pages into text.
 *
 * What a stranger's server sends is parsed where nothing can be reached but
 * the pipe back (index/sandbox.h).  A reader that dies, hangs or wants too much
 * memory takes the page with it, and the next page gets another.
 *
 * Threads    None; the caller must be a process of one thread, or nearly.
 */
#ifndef CRAWL_READER_H
#define CRAWL_READER_H

#include <sys/types.h>

#include "crawl/html.h"
#include "index/frame.h"

struct reader {
    pid_t pid; /* 0: none */
    int fd;
    struct frame_reader in;
    uint64_t memory_max;  /* bytes of address space */
    uint64_t patience_ns; /* for one page */
};

/* reader_init: no process yet; before the caller confines itself, which may
 * keep it from reading how much memory it uses. */
void reader_init(struct reader *reader, uint64_t patience_ns);
void reader_fini(struct reader *reader);

/* reader_read is what site_ops.read asks for. */
enum err reader_read(struct reader *reader, bool is_html, str type, str bytes,
                     struct html_page *out);

/* reader_work is what the process does with one page, in this one: for tests
 * and fuzzers. */
enum err reader_work(bool is_html, str type, str bytes, struct html_page *out);

#endif
