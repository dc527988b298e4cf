/*
 * `spangraph backup`.
 *
 * A backup is one tar file of whole databases, each of one moment; the service
 * goes on meanwhile.  It is written beside its place and renamed into it, so a
 * backup that is there is whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/backup.h"
#include "cmd/options.h"
#include "cmd/tape.h"
#include "store/backup.h"

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

/* With what SQLite may have left beside it. */
static void
remove_copy(const char *copy)
{
    static const char *const parts[] = {"", "-wal", "-shm"};
    struct buf path = {0};

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        buf_reset(&path);
        buf_printf(&path, "%s%s", copy, parts[i]);
        (void)unlink(buf_cstr(&path));
    }
    buf_fini(&path);
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

static enum err
write_backup(const char *dir, const char *part, size_t *count, struct buf *why)
{
    FILE *tape = fopen(part, "wbx");
    enum err err = OK;

    if (!tape) {
        buf_printf(why, "%s: %s", part, strerror(errno));
        return ERR_IO;
    }
    for (size_t i = 0; i < BACKUP_FILES && !err; i++)
        err = add_file(tape, dir, part, i, count, why);
    if (!err && *count == 0) {
        buf_printf(why, "there is no store in %s", dir);
        err = ERR_NOT_FOUND;
    }
    if (!err)
        err = tape_end(tape, why);
    if (!err && fsync(fileno(tape)) != 0) {
        buf_printf(why, "%s: %s", part, strerror(errno));
        err = ERR_IO;
    }
    (void)fclose(tape);
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

    buf_printf(&part, "%s.part-%ld", file, (long)getpid());
    err = write_backup(dir, buf_cstr(&part), &count, &why);
    if (!err && rename(buf_cstr(&part), file) != 0) {
        buf_printf(&why, "%s: %s", file, strerror(errno));
        err = ERR_IO;
    }
    if (err) {
        (void)unlink(buf_cstr(&part));
        rc = backup_complain("backup", &why, err);
    } else {
        printf("%s: %zu databases of %s\n", file, count, dir);
    }
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
