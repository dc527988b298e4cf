#include "tests/support/real_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <ftw.h>

#include "index/manifest.h"
#include "index/settings.h"

/* Those that are not there are no matter; relative ones are of this tree. */
static const char *const roots[] = {
    "/usr/include",  "/usr/lib/python3",
    "/usr/lib/ruby", "/usr/lib/python3.11",
    "/usr/lib/go",   "/usr/share/rubygems-integration",
    "/usr/share/go", "/usr/share/php",
    "build/npm",     "examples",
    "index",         "tests",
};

/* nftw has no argument for it. */
static struct {
    struct real_files *files;
    size_t bytes_max;
} finding;

static void
add(struct real_list *list, const char *path)
{
    if (list->len == list->cap) {
        list->cap = list->cap ? 2 * list->cap : 256;
        list->paths = realloc(list->paths, list->cap * sizeof(*list->paths));
        assert_non_null(list->paths);
    }
    list->paths[list->len++] = strdup(path);
}

static int
take(const char *path, const struct stat *st, int type, struct FTW *place)
{
    str name = str_of(path);

    (void)place;
    if (type != FTW_F || (size_t)st->st_size > finding.bytes_max)
        return 0;
    const struct lang *lang = lang_of_path(name, (str){"", 0});
    if (lang)
        add(&finding.files->of[lang->id], path);
    else if (settings_wants(name) || manifests_wants(name))
        add(&finding.files->of[LANG_NONE], path);
    return 0;
}

static int
compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void
real_files_find(struct real_files *out, size_t bytes_max)
{
    enum { OPEN_MAX_AT_ONCE = 16 };

    *out = (struct real_files){0};
    finding.files = out;
    finding.bytes_max = bytes_max;
    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
        (void)nftw(roots[i], take, OPEN_MAX_AT_ONCE, FTW_PHYS);
    for (int lang = 0; lang < LANG_END; lang++)
        if (out->of[lang].len)
            qsort(out->of[lang].paths, out->of[lang].len,
                  sizeof(*out->of[lang].paths), compare);
}

void
real_files_fini(struct real_files *files)
{
    for (int lang = 0; lang < LANG_END; lang++) {
        for (size_t i = 0; i < files->of[lang].len; i++)
            free(files->of[lang].paths[i]);
        free(files->of[lang].paths);
    }
    *files = (struct real_files){0};
}

void
real_files_read(const char *path, struct buf *out)
{
    char block[16384];
    size_t got;
    FILE *f = fopen(path, "r");

    /* Another may have removed it since it was listed. */
    if (!f)
        return;
    while ((got = fread(block, 1, sizeof(block), f)) > 0)
        buf_add(out, (str){block, got});
    (void)fclose(f);
    assert_false(out->failed);
}
