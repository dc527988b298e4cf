/*
 * Each file keeps an image of what is surely on disk: its content at the last
 * sync.  Writes since then are a list; losing power applies a random part of
 * it, sector by sector, to the image.  One file has one image, by whatever name
 * it is opened: the older of two would take back what the other has synced.
 */
#include "tests/support/fault_disk.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/size.h"

enum { FILES_MAX = 64, SECTOR = 512, PAGE = 4096 };

struct write {
    struct write *next;
    int64_t at;
    int len;       /* -1: truncate to |at| */
    bool in_doubt; /* a sync failed behind it */
    unsigned char bytes[];
};

struct fault_disk {
    char *path;
    unsigned char *image; /* as of the last sync */
    int64_t len;
    int64_t cap;
    struct write *writes; /* newest first */
};

static struct fault_disk disks[FILES_MAX];

static void
record(struct fault_disk *disk, const void *bytes, int len, int64_t at)
{
    if (!disk)
        return;
    size_t size = len > 0 ? (size_t)len : 0;
    struct write *write = malloc(sizeof(*write) + size);
    *write = (struct write){.next = disk->writes, .at = at, .len = len};
    if (size)
        memcpy(write->bytes, bytes, size);
    disk->writes = write;
}

static void
forget_writes(struct fault_disk *disk)
{
    while (disk->writes) {
        struct write *next = disk->writes->next;
        free(disk->writes);
        disk->writes = next;
    }
}

static void
resize(struct fault_disk *disk, int64_t len)
{
    if (len >= disk->cap) {
        disk->cap = 2 * len + 4096;
        disk->image = realloc(disk->image, (size_t)disk->cap);
    }
    if (len > disk->len)
        memset(disk->image + disk->len, 0, (size_t)(len - disk->len));
    disk->len = len;
}

static void
apply(struct fault_disk *disk, const struct write *write, int from, int to)
{
    if (write->len < 0) {
        resize(disk, write->at);
        return;
    }
    if (write->at + to > disk->len)
        resize(disk, write->at + to);
    memcpy(disk->image + write->at + from, write->bytes + from,
           (size_t)(to - from));
}

/* Puts the list, newest first, into the order of time. */
static struct write *
reverse(struct write *list)
{
    struct write *out = NULL;

    while (list) {
        struct write *next = list->next;
        list->next = out;
        out = list;
        list = next;
    }
    return out;
}

void
fault_disk_write(struct fault_disk *disk, const void *bytes, int len,
                 int64_t at)
{
    record(disk, bytes, len, at);
}

void
fault_disk_truncate(struct fault_disk *disk, int64_t size)
{
    record(disk, NULL, -1, size);
}

/* Whether anything was written to the page of |at| behind |from|, which takes
 * the whole page to the disk with it. */
static bool
is_dirty_again(const struct write *from, int64_t at)
{
    int64_t page = at / PAGE * PAGE;

    for (const struct write *w = from->next; w; w = w->next) {
        if (!w->in_doubt && w->len > 0 && w->at < page + PAGE &&
            w->at + w->len > page)
            return true;
    }
    return false;
}

/* Each page of a write that is in doubt reached the disk, or not. */
static void
apply_doubtful(struct fault_disk *disk, const struct write *write,
               uint64_t *random)
{
    if (write->len < 0) {
        apply(disk, write, 0, 0);
        return;
    }
    for (int from = 0; from < write->len;) {
        int64_t at = write->at + from;
        int to = from + (int)(PAGE - at % PAGE);
        to = to < write->len ? to : write->len;
        if (is_dirty_again(write, at) || size_roll(random) % 2)
            apply(disk, write, from, to);
        from = to;
    }
}

void
fault_disk_sync(struct fault_disk *disk, uint64_t *random)
{
    if (!disk)
        return;
    disk->writes = reverse(disk->writes);
    for (struct write *w = disk->writes; w; w = w->next) {
        if (w->in_doubt)
            apply_doubtful(disk, w, random);
        else
            apply(disk, w, 0, w->len);
    }
    forget_writes(disk);
}

/* After a sync that failed the system takes the pages for clean: they may be
 * read, and are never written again. */
void
fault_disk_doubt(struct fault_disk *disk)
{
    for (struct write *w = disk ? disk->writes : NULL; w; w = w->next)
        w->in_doubt = true;
}

static void
read_image(struct fault_disk *disk)
{
    FILE *in = fopen(disk->path, "rb");

    if (!in)
        return;
    (void)fseek(in, 0, SEEK_END);
    resize(disk, ftell(in));
    rewind(in);
    if (fread(disk->image, 1, (size_t)disk->len, in) != (size_t)disk->len)
        abort();
    (void)fclose(in);
}

/* Who puts names together may double a slash, and it is the same file. */
static char *
plain_path(const char *path)
{
    char *plain = strdup(path);
    size_t len = 0;

    for (const char *at = path; *at; at++) {
        if (at[0] != '/' || at[1] != '/')
            plain[len++] = *at;
    }
    plain[len] = '\0';
    return plain;
}

/* The disk of that name, or NULL; |unused| is one without a name, or NULL. */
static struct fault_disk *
find(const char *plain, struct fault_disk **unused)
{
    *unused = NULL;
    for (int i = 0; i < FILES_MAX; i++) {
        struct fault_disk *disk = &disks[i];
        if (!disk->path)
            *unused = disk;
        else if (strcmp(disk->path, plain) == 0)
            return disk;
    }
    return NULL;
}

struct fault_disk *
fault_disk_open(const char *path)
{
    char *plain = plain_path(path);
    struct fault_disk *unused;
    struct fault_disk *disk = find(plain, &unused);

    if (disk) {
        free(plain);
        return disk;
    }
    if (!unused)
        abort();
    unused->path = plain;
    read_image(unused);
    return unused;
}

static void
forget_file(struct fault_disk *disk)
{
    forget_writes(disk);
    free(disk->image);
    free(disk->path);
    *disk = (struct fault_disk){0};
}

/* Each sector of each unsynced write reached the disk, or not. */
static void
tear(struct fault_disk *disk, uint64_t *seed)
{
    bool none = size_roll(seed) % 4 == 0;
    uint64_t keep = size_roll(seed) % 5; /* of 4: the share of what arrived */

    disk->writes = reverse(disk->writes);
    for (struct write *w = disk->writes; w && !none; w = w->next) {
        if (w->len < 0) {
            if (size_roll(seed) % 4 < keep)
                apply(disk, w, 0, 0);
            continue;
        }
        for (int from = 0; from < w->len; from += SECTOR) {
            int to = from + SECTOR < w->len ? from + SECTOR : w->len;
            if (size_roll(seed) % 4 < keep)
                apply(disk, w, from, to);
        }
    }
    forget_writes(disk);
}

void
fault_disk_forget(const char *path)
{
    char *plain = plain_path(path);
    struct fault_disk *unused;
    struct fault_disk *disk = find(plain, &unused);

    free(plain);
    if (disk)
        forget_file(disk);
}

void
fault_disk_lose_power(uint64_t seed)
{
    for (int i = 0; i < FILES_MAX; i++) {
        struct fault_disk *disk = &disks[i];
        if (!disk->path)
            continue;
        tear(disk, &seed);
        FILE *out = fopen(disk->path, "wb");
        if (!out)
            abort();
        size_t len = (size_t)disk->len;
        if (len && fwrite(disk->image, 1, len, out) != len)
            abort();
        (void)fclose(out);
        forget_file(disk);
    }
}
