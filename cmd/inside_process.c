/*
 * /proc/self/status and /proc/self/task/TID/stat (proc(5)).  The name in stat
 * may hold anything, spaces and parentheses too, so what is behind it is looked
 * for from the end.
 */
#include "cmd/inside_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/write.h"

enum { TEXT_CAP = 8192, THREADS_MOST = 1024, MS_PER_S = 1000, KIB = 1024 };

/* Reads |path| as a string; false if there is none. */
static bool
read_text(const char *path, char out[TEXT_CAP])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, out, TEXT_CAP - 1);

    if (fd >= 0)
        close(fd);
    out[len > 0 ? len : 0] = '\0';
    return len > 0;
}

/* ---- memory ---- */

void
inside_process_memory(struct buf *out)
{
    static const struct {
        const char *line; /* of /proc/self/status, in KiB */
        const char *name;
    } rows[] = {
        {"\nVmRSS:", "resident_bytes"},    {"\nVmHWM:", "resident_most_bytes"},
        {"\nRssAnon:", "anonymous_bytes"}, {"\nRssFile:", "of_files_bytes"},
        {"\nVmSwap:", "swapped_bytes"},    {"\nVmSize:", "virtual_bytes"},
    };
    char text[TEXT_CAP];

    write_open(out, "process", '{');
    if (read_text("/proc/self/status", text)) {
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            const char *at = strstr(text, rows[i].line);

            if (at)
                write_int(out, rows[i].name,
                          strtoll(at + strlen(rows[i].line), NULL, 10) * KIB);
        }
    }
    write_close(out, '}');
}

/* ---- threads ---- */

struct thread {
    long id;
    char name[32];
    char state; /* R, S, D: proc(5) */
    uint64_t user_ms;
    uint64_t system_ms;
};

static const char *
state_of(char letter)
{
    switch (letter) {
    case 'R':
        return "running";
    case 'S':
        return "waiting";
    case 'D':
        return "waiting for a disk";
    case 'T':
    case 't':
        return "stopped";
    default:
        return "other";
    }
}

/* The number that is |skip| fields behind |at|. */
static uint64_t
number_at(const char *at, int skip)
{
    for (; skip > 0 && *at; skip--)
        at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' ');
    return strtoull(at, NULL, 10);
}

/* Reads "ID (NAME) STATE ...": behind the state, which is the third, user and
 * system time are fields 14 and 15, in ticks. */
static bool
parse(const char *text, struct thread *out)
{
    const char *open = strchr(text, '(');
    const char *shut = strrchr(text, ')');
    long tick = sysconf(_SC_CLK_TCK);

    if (!open || !shut || shut < open || strlen(shut) < 3 || tick <= 0)
        return false;
    *out = (struct thread){.id = strtol(text, NULL, 10), .state = shut[2]};
    (void)snprintf(out->name, sizeof(out->name), "%.*s", (int)(shut - open - 1),
                   open + 1);
    out->user_ms = number_at(shut + 2, 11) * MS_PER_S / (uint64_t)tick;
    out->system_ms = number_at(shut + 2, 12) * MS_PER_S / (uint64_t)tick;
    return true;
}

static int
by_time(const void *a, const void *b)
{
    const struct thread *one = a;
    const struct thread *two = b;
    uint64_t first = one->user_ms + one->system_ms;
    uint64_t second = two->user_ms + two->system_ms;

    if (first != second)
        return first > second ? -1 : 1;
    return one->id < two->id ? -1 : one->id > two->id;
}

/* Those there are, |most| of them at most; one that ends meanwhile is left
 * out. */
static size_t
read_threads(struct thread *out, size_t most)
{
    DIR *dir = opendir("/proc/self/task");
    struct dirent *entry;
    size_t len = 0;

    while (dir && len < most && (entry = readdir(dir))) {
        char path[sizeof("/proc/self/task//stat") + sizeof(entry->d_name)];
        char text[TEXT_CAP];

        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof(path), "/proc/self/task/%s/stat",
                       entry->d_name);
        len += read_text(path, text) && parse(text, &out[len]);
    }
    if (dir)
        closedir(dir);
    return len;
}

void
inside_process_threads(struct buf *out)
{
    struct thread *threads = calloc(THREADS_MOST, sizeof(*threads));

    if (!threads) {
        out->failed = true;
        return;
    }
    size_t len = read_threads(threads, THREADS_MOST);

    qsort(threads, len, sizeof(*threads), by_time);
    write_open(out, "threads", '[');
    for (size_t i = 0; i < len; i++) {
        write_open(out, NULL, '{');
        write_int(out, "id", threads[i].id);
        write_text(out, "name", str_of(threads[i].name));
        write_text(out, "state", str_of(state_of(threads[i].state)));
        write_int(out, "user_ms", (int64_t)threads[i].user_ms);
        write_int(out, "system_ms", (int64_t)threads[i].system_ms);
        write_close(out, '}');
    }
    write_close(out, ']');
    free(threads);
}
