/*
 * `spangraph backup`.
 *
 * A backup is one tar file of whole databases, each of one moment; the service
 * goes on meanwhile.  It is written beside its place and renamed into it, so a
 * backup that is there is whole; to standard output it goes as it is made.  A
 * signal removes what is half made: it may be as large as the store.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/backup.h"
#include "cmd/options.h"
#include "cmd/tape.h"
#include "store/backup.h"
#include "store/files.h"

int
backup_complain(const char *command, const struct buf *why, enum err err)
{
    struct buf text = {0};

    buf_add(&text, buf_str(why));
    fprintf(stderr, "spangraph %s: %s\n", command,
            text.len ? buf_cstr(&text) : err_str(err));
    buf_fini(&text);
    return err == ERR_INVALID ? EXIT_USAGE : EXIT_CANNOT_RUN;
}

const char *
backup_path(struct buf *buf, const char *dir, const char *file,
            const char *suffix)
{
    buf_reset(buf);
    buf_printf(buf, "%s/%s%s", dir, file, suffix);
    return buf_cstr(buf);
}

FILE *
backup_create(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");

    if (fd >= 0 && !file)
        close(fd);
    return file;
}

/* A copy, with what SQLite may have beside it. */
static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
enum { SUFFIXES = sizeof(suffixes) / sizeof(suffixes[0]) };

static void
remove_copy(const char *copy)
{
    struct buf path = {0};

    for (size_t i = 0; i < SUFFIXES; i++) {
        buf_reset(&path);
        buf_printf(&path, "%s%s", copy, suffixes[i]);
        (void)unlink(buf_cstr(&path));
    }
    buf_fini(&path);
}

/* ---- cut off by a signal ---- */

enum { HALF_MADE = 1 + BACKUP_FILES * SUFFIXES };
/* Paths that a signal unlinks; set before it is awaited, and not freed. */
static char *half_made[HALF_MADE];

/* Then the signal does what it does: its action was reset. */
static void
remove_half_made(int number)
{
    for (size_t i = 0; i < HALF_MADE; i++)
        (void)unlink(half_made[i]);
    (void)raise(number);
}

static enum err
await_signals(const char *part)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    struct sigaction action = {.sa_handler = remove_half_made,
                               .sa_flags = (int)SA_RESETHAND};
    size_t len = 0;

    half_made[len++] = strdup(part);
    for (size_t i = 0; i < (size_t)BACKUP_FILES * SUFFIXES; i++)
        if (asprintf(&half_made[len++], "%s.%s%s", part,
                     backup_files[i / SUFFIXES], suffixes[i % SUFFIXES]) < 0)
            return ERR_NOMEM;
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        struct sigaction before;
        (void)sigaction(signals[i], &action, &before);
        if (before.sa_handler == SIG_IGN) /* nohup */
            (void)sigaction(signals[i], &before, NULL);
    }
    return half_made[0] ? OK : ERR_NOMEM;
}

/* ---- the tape ---- */

/* That it could be restored.  |from| is what |copy| is of. */
static enum err
check_copy(const char *copy, const char *from, size_t which, struct buf *why)
{
    enum err err = backup_check(copy, why);

    if (!err)
        err = backup_check_version(copy, which, why);
    if (err == ERR_CORRUPT) {
        buf_reset(why);
        buf_printf(why,
                   "%s is damaged, and a copy of it could not be restored; "
                   "keep earlier backups",
                   from);
    }
    return err;
}

static enum err
add_file(FILE *tape, const char *dir, const char *part, size_t i, size_t *count,
         struct buf *why)
{
    struct buf from = {0};
    struct buf copy = {0};
    enum err err;

    buf_printf(&copy, "%s.%s", part, backup_files[i]);
    remove_copy(buf_cstr(&copy));
    err = backup_copy(backup_path(&from, dir, backup_files[i], ""),
                      buf_cstr(&copy), why);
    if (!err)
        err = check_copy(buf_cstr(&copy), buf_cstr(&from), i, why);
    if (!err) {
        err = tape_add(tape, backup_files[i], buf_cstr(&copy),
                       clock_wall_ns() / NS_PER_S, why);
        (*count)++;
    } else if (err == ERR_NOT_FOUND) {
        err = OK;
    }
    remove_copy(buf_cstr(&copy));
    buf_fini(&from);
    buf_fini(&copy);
    return err;
}

static bool
is_stream(const char *file)
{
    return strcmp(file, "-") == 0;
}

static enum err
write_backup(const char *dir, const char *part, FILE *tape, size_t *count,
             struct buf *why)
{
    enum err err = OK;

    for (size_t i = 0; i < BACKUP_FILES && !err; i++)
        err = add_file(tape, dir, part, i, count, why);
    if (!err && *count == 0) {
        buf_printf(why, "there is no store in %s; name another with --data DIR",
                   dir);
        err = ERR_NOT_FOUND;
    }
    return err ? err : tape_end(tape, why);
}

static enum err
to_stream(const char *dir, const char *part, size_t *count, struct buf *why)
{
    if (isatty(STDOUT_FILENO)) {
        buf_add(why,
                STR("standard output is a terminal; redirect it to a file"));
        return ERR_INVALID;
    }
    if (backup_is_there(dir) && access(dir, W_OK) != 0) {
        buf_printf(why,
                   "%s: %s; the copies are made there before they go to "
                   "standard output: name a FILE elsewhere instead of -",
                   dir, strerror(errno));
        return ERR_DENIED;
    }
    return write_backup(dir, part, stdout, count, why);
}

/* What is no file would be replaced by one: a device for all of the system. */
static bool
may_replace(const char *file)
{
    struct stat st;

    return lstat(file, &st) != 0 || S_ISREG(st.st_mode);
}

static enum err
to_file(const char *dir, const char *file, const char *part, size_t *count,
        struct buf *why)
{
    if (!may_replace(file)) {
        buf_printf(why, "%s: not a regular file; - is standard output", file);
        return ERR_INVALID;
    }
    FILE *tape = backup_create(part);
    enum err err;

    if (!tape) {
        buf_printf(why, "%s: %s", part, strerror(errno));
        return ERR_IO;
    }
    err = write_backup(dir, part, tape, count, why);
    if (!err && fsync(fileno(tape)) != 0) {
        buf_printf(why, "%s: %s", part, strerror(errno));
        err = ERR_IO;
    }
    (void)fclose(tape);
    int code = err                       ? 0
               : rename(part, file) != 0 ? errno
                                         : files_sync_name(file);
    if (code) {
        buf_printf(why, "%s: %s", file, strerror(code));
        err = ERR_IO;
    }
    if (err)
        (void)unlink(part);
    return err;
}

static int
run_backup(const char *dir, const char *file)
{
    struct buf part = {0};
    struct buf why = {0};
    size_t count = 0;
    enum err err;
    int rc = EXIT_CLEAN;

    if (is_stream(file)) /* copies are made where there is room for the store */
        buf_printf(&part, "%s/backup", dir);
    else
        buf_add(&part, str_of(file));
    buf_printf(&part, ".part-%ld", (long)getpid());
    err = await_signals(buf_cstr(&part));
    if (!err && is_stream(file))
        err = to_stream(dir, buf_cstr(&part), &count, &why);
    else if (!err)
        err = to_file(dir, file, buf_cstr(&part), &count, &why);
    if (err)
        rc = backup_complain("backup", &why, err);
    else
        fprintf(is_stream(file) ? stderr : stdout, "%s: %zu databases of %s\n",
                file, count, dir);
    buf_fini(&part);
    buf_fini(&why);
    return rc;
}

int
cmd_backup(const struct command *self, int argc, char **argv)
{
    const char *dir = "./data";
    const struct option_spec specs[] = {
        {"data", OPTION_STR, &dir, "DIR", "directory of the store"},
    };
    enum err err = options_parse(self, specs, 1, &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc != 2) {
        fprintf(stderr, "usage: spangraph %s\n", self->usage);
        return EXIT_USAGE;
    }
    return run_backup(dir, argv[1]);
}
