/*
 * What the service counts anyway, set beside what the system says of it.
 */
#include "cmd/inside.h"

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "api/write.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "cmd/inside_process.h"
#include "net/glance.h"
#include "store/sqlite.h"

enum { GLANCE_MS = 1000, FILES_MOST = 1000 };

/* ---- connections ---- */

static void
add_conn(struct buf *out, const struct glance_conn *conn)
{
    write_open(out, NULL, '{');
    write_text(out, "peer", str_of(conn->peer));
    if (*conn->protocol)
        write_text(out, "protocol", str_of(conn->protocol));
    else
        write_null(out, "protocol");
    write_bool(out, "tls", conn->is_tls);
    write_int(out, "age_s", (int64_t)(conn->age_ms / (NS_PER_S / NS_PER_MS)));
    write_int(out, "requests", (int64_t)conn->requests);
    write_int(out, "unsent_bytes", (int64_t)conn->unsent_bytes);
    write_bool(out, "ending", conn->is_ending);
    write_close(out, '}');
}

static const char *
state_of(enum err err)
{
    switch (err) {
    case OK:
        return "told";
    case ERR_BUSY:
        return "its loop did not answer within a second";
    case ERR_CANCELLED:
        return "stopped";
    default:
        return err_str(err);
    }
}

static void
add_door(struct buf *out, const struct inside_door *door,
         struct glance_conn *room, size_t most)
{
    size_t len = 0;
    size_t total = 0;
    enum err err = OK;

    write_open(out, NULL, '{');
    write_text(out, "listener", str_of(door->key));
    if (door->server)
        err = glance_conns(door->server, GLANCE_MS, room, most, &len, &total);
    write_text(out, "state",
               door->server ? str_of(state_of(err))
                            : STR("not known: gRPC core tells nobody"));
    if (door->server && !err) {
        write_int(out, "total", (int64_t)total);
        write_bool(out, "truncated", len < total);
        write_open(out, "connections", '[');
        for (size_t i = 0; i < len; i++)
            add_conn(out, &room[i]);
        write_close(out, ']');
    }
    write_close(out, '}');
}

void
inside_connections(const struct inside_door *doors, size_t len, size_t most,
                   struct buf *out)
{
    struct glance_conn *room = calloc(most, sizeof(*room));

    if (!room) {
        out->failed = true;
        return;
    }
    write_open(out, NULL, '{');
    write_open(out, "listeners", '[');
    for (size_t i = 0; i < len; i++)
        if (doors[i].is_open)
            add_door(out, &doors[i], room, most);
    write_close(out, ']');
    write_close(out, '}');
    free(room);
}

/* ---- memory ---- */

static void
add_bound(struct buf *out, const char *name, enum metric held, uint64_t most)
{
    write_open(out, name, '{');
    write_int(out, "held", metrics_get(held));
    write_int(out, "most", (int64_t)most);
    write_close(out, '}');
}

static void
add_allocator(struct buf *out)
{
    struct mallinfo2 info = mallinfo2();

    write_open(out, "allocator", '{');
    write_int(out, "from_system_bytes", (int64_t)(info.arena + info.hblkhd));
    write_int(out, "in_use_bytes", (int64_t)(info.uordblks + info.hblkhd));
    write_int(out, "free_bytes", (int64_t)info.fordblks);
    write_int(out, "mapped_bytes", (int64_t)info.hblkhd);
    write_close(out, '}');
}

void
inside_memory(const struct config *cfg, struct buf *out)
{
    write_open(out, NULL, '{');
    inside_process_memory(out);
    add_allocator(out);
    write_int(out, "sqlite_bytes", sqlite_memory_bytes());
    write_open(out, "requests", '{');
    write_int(out, "reserved_bytes", metrics_get(METRIC_MEMORY_RESERVED));
    write_int(out, "most_bytes", metrics_get(METRIC_MEMORY_LIMIT));
    write_close(out, '}');
    if (!config_text(cfg->forward.endpoint)) {
        add_bound(out, "live_spans", METRIC_PENDING, cfg->max_spans);
        add_bound(out, "queued_spans", METRIC_QUEUE_STUBS, cfg->queue_spans);
        add_bound(out, "names", METRIC_NODES, cfg->max_nodes);
        add_bound(out, "edges", METRIC_EDGES, cfg->max_edges);
    }
    write_close(out, '}');
}

/* ---- store ---- */

static int
is_listed(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Files that were set aside and sockets' leftovers, too: they take room. */
static void
add_files(struct buf *out, const char *dir)
{
    struct dirent **entries = NULL;
    int len = scandir(dir, &entries, is_listed, alphasort);
    int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    write_open(out, "files", '[');
    for (int i = 0; i < len; i++) {
        struct stat st;

        if (i < FILES_MOST && dir_fd >= 0 &&
            fstatat(dir_fd, entries[i]->d_name, &st, AT_SYMLINK_NOFOLLOW) ==
                0 &&
            S_ISREG(st.st_mode)) {
            write_open(out, NULL, '{');
            write_text(out, "file", str_of(entries[i]->d_name));
            write_int(out, "bytes", st.st_size);
            write_time(out, "changed", (uint32_t)st.st_mtime);
            write_close(out, '}');
        }
        free(entries[i]);
    }
    write_close(out, ']');
    free(entries);
    if (dir_fd >= 0)
        close(dir_fd);
}

static void
add_disk(struct buf *out, const char *dir)
{
    struct statvfs disk;

    if (statvfs(dir, &disk))
        return;
    write_open(out, "disk", '{');
    write_int(out, "free_bytes", (int64_t)(disk.f_bavail * disk.f_frsize));
    write_int(out, "size_bytes", (int64_t)(disk.f_blocks * disk.f_frsize));
    write_close(out, '}');
}

static void
add_spool(struct buf *out)
{
    write_open(out, "spool", '{');
    write_int(out, "batches", metrics_get(METRIC_SPOOL_BATCHES));
    write_int(out, "waiting_bytes", metrics_get(METRIC_SPOOL_BYTES));
    write_int(out, "aside_bytes", metrics_get(METRIC_SPOOL_ASIDE_BYTES));
    write_int(out, "oldest_s", metrics_get(METRIC_SPOOL_AGE));
    write_close(out, '}');
}

static void
add_journal(struct buf *out)
{
    write_open(out, "journal", '{');
    write_int(out, "commits", metrics_get(METRIC_COMMITS));
    write_int(out, "failures", metrics_get(METRIC_COMMIT_FAILURES));
    write_int(out, "damaged_spans", metrics_get(METRIC_JOURNAL_DAMAGED));
    write_close(out, '}');
}

void
inside_store(const struct config *cfg, bool is_writable, struct buf *out)
{
    write_open(out, NULL, '{');
    write_text(out, "dir", str_of(cfg->dir));
    write_text(out, "durability", str_of(cfg->durability));
    write_bool(out, "writable", is_writable);
    write_open(out, "sqlite", '{');
    write_text(out, "version", str_of(sqlite_version()));
    write_bool(out, "may_corrupt_if_another_program_writes",
               sqlite_may_corrupt(sqlite_number()));
    write_close(out, '}');
    write_int(out, "damaged_databases", metrics_get(METRIC_DATABASES_DAMAGED));
    if (config_text(cfg->forward.endpoint))
        add_spool(out);
    else
        add_journal(out);
    add_disk(out, cfg->dir);
    add_files(out, cfg->dir);
    write_close(out, '}');
}

/* ---- threads ---- */

void
inside_threads(struct buf *out)
{
    write_open(out, NULL, '{');
    inside_process_threads(out);
    write_close(out, '}');
}
