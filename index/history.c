/*
 * A row for each change of a file, sorted by file and author, and then summed.
 */
#include "index/history.h"

#include <stdlib.h>

#include "base/grow.h"

struct authors {
    struct code_build *build;
    const uint32_t *file_of;
    struct build_author *rows;
    size_t len;
    size_t cap;
};

static enum err
take_author(void *ctx, uint32_t file, str author, uint64_t at_s)
{
    struct authors *authors = ctx;

    if (authors->file_of[file] == 0)
        return OK;
    if (!grow_room(authors->rows, authors->len, authors->cap))
        return ERR_NOMEM;
    authors->rows[authors->len++] = (struct build_author){
        .file = authors->file_of[file],
        .author = texts_add(&authors->build->texts, author),
        .commits = 1,
        .last_s = at_s,
    };
    return OK;
}

static int
by_file_and_author(const void *left, const void *right)
{
    const struct build_author *a = left;
    const struct build_author *b = right;

    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return (a->author > b->author) - (a->author < b->author);
}

static void
add_authors(struct authors *authors)
{
    if (authors->len)
        qsort(authors->rows, authors->len, sizeof(*authors->rows),
              by_file_and_author);
    for (size_t i = 0; i < authors->len;) {
        struct build_author row = authors->rows[i];
        size_t k = i + 1;

        for (; k < authors->len &&
               by_file_and_author(&row, &authors->rows[k]) == 0;
             k++) {
            row.commits++;
            if (authors->rows[k].last_s > row.last_s)
                row.last_s = authors->rows[k].last_s;
        }
        code_build_author(authors->build, &row);
        i = k;
    }
}

enum err
history_authors(struct tree *tree, const struct history_ask *ask,
                const uint32_t *file_of, struct code_build *build)
{
    struct authors authors = {.build = build, .file_of = file_of};
    enum err err = tree_authors(tree, ask->commits_max, ask->deadline_ns,
                                take_author, &authors);

    if (!err)
        add_authors(&authors);
    free(authors.rows);
    return err;
}
