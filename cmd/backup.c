/*
 * `spangraph backup` and `restore`.
 *
 * A backup is one tar file of whole databases, each of one moment; the service
 * goes on meanwhile.  It is written beside its place and renamed into it, so a
 * backup that is there is whole.
 *
 * To restore, the databases are unpacked beside those of the store and looked
 * at; only when all are good are the old ones renamed to *.before-TIME and the
 * new ones take their names.  Whoever writes the store holds it in memory, too,
 * so nobody may be writing it: the locks are taken.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/options.h"
#include "cmd/tape.h"
#include "store/backup.h"

static int
complain(const char *command, const struct buf *why, enum err err)
{
    struct buf text = {0};

    buf_add(&text, buf_str(why));
    fprintf(stderr, "spangraph %s: %s\n", command,
            text.len ? buf_cstr(&text) : err_str(err));
    buf_fini(&text);
    return err == ERR_INVALID ? EXIT_USAGE : EXIT_CANNOT_RUN;
}

/* "<dir>/<file><suffix>", good until the buffer is used again. */
static const char *
path_of(struct buf *buf, const char *dir, const char *file, const char *suffix)
{
    buf_reset(buf);
    buf_printf(buf, "%s/%s%s", dir, file, suffix);
    return buf_cstr(buf);
}

/* ---- backup ---- */

static enum err
add_file(FILE *tape, const char *dir, const char *part, size_t i, size_t *count,
         struct buf *why)
{
    struct buf from = {0};
    struct buf copy = {0};
    enum err err;

    buf_printf(&copy, "%s.%s", part, backup_files[i]);
    (void)unlink(buf_cstr(&copy));
    err = backup_copy(path_of(&from, dir, backup_files[i], ""), buf_cstr(&copy),
                      why);
    if (!err) {
        err = tape_add(tape, backup_files[i], buf_cstr(&copy),
                       clock_wall_ns() / NS_PER_S, why);
        (*count)++;
    } else if (err == ERR_NOT_FOUND) {
        err = OK;
    }
    (void)unlink(buf_cstr(&copy));
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
        rc = complain("backup", &why, err);
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

/* ---- restore ---- */

#define INCOMING ".incoming"

struct restore {
    const char *dir;
    bool is_there[BACKUP_FILES];
    struct buf why;
};

static FILE *
open_incoming(void *ctx, const char *name)
{
    struct restore *restore = ctx;
    struct buf path = {0};
    FILE *file = NULL;

    for (size_t i = 0; i < BACKUP_FILES; i++) {
        if (strcmp(name, backup_files[i]) != 0 || restore->is_there[i])
            continue;
        (void)unlink(path_of(&path, restore->dir, name, INCOMING));
        file = fopen(buf_cstr(&path), "wbx");
        restore->is_there[i] = file != NULL;
        if (!file)
            buf_printf(&restore->why, "%s: %s", buf_cstr(&path),
                       strerror(errno));
    }
    buf_fini(&path);
    return file;
}

static enum err
check_incoming(struct restore *restore)
{
    struct buf path = {0};
    enum err err = OK;
    size_t count = 0;

    for (size_t i = 0; i < BACKUP_FILES && !err; i++) {
        if (!restore->is_there[i])
            continue;
        err = backup_check(
            path_of(&path, restore->dir, backup_files[i], INCOMING),
            &restore->why);
        count++;
    }
    if (!err && count == 0)
        err = ERR_INVALID;
    buf_fini(&path);
    return err;
}

static bool
has_store(const char *dir)
{
    struct buf path = {0};
    bool found = false;

    for (size_t i = 0; i < BACKUP_FILES; i++)
        found |= access(path_of(&path, dir, backup_files[i], ""), F_OK) == 0;
    buf_fini(&path);
    return found;
}

static enum err
move(struct restore *restore, const char *from, const char *to)
{
    if (rename(from, to) == 0 || errno == ENOENT)
        return OK;
    buf_printf(&restore->why, "%s: %s", to, strerror(errno));
    return ERR_IO;
}

/* With the database goes what SQLite keeps beside it. */
static enum err
put_in_place(struct restore *restore, const char *file, uint64_t now_s)
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    struct buf from = {0};
    struct buf to = {0};
    char aside[48];
    enum err err = OK;

    for (size_t i = 0; i < 3 && !err; i++) {
        (void)snprintf(aside, sizeof(aside), ".before-%llu%s",
                       (unsigned long long)now_s, suffixes[i]);
        err = move(restore, path_of(&from, restore->dir, file, suffixes[i]),
                   path_of(&to, restore->dir, file, aside));
    }
    if (!err)
        err = move(restore, path_of(&from, restore->dir, file, INCOMING),
                   path_of(&to, restore->dir, file, ""));
    buf_fini(&from);
    buf_fini(&to);
    return err;
}

static void
drop_incoming(struct restore *restore)
{
    struct buf path = {0};

    for (size_t i = 0; i < BACKUP_FILES; i++)
        (void)unlink(path_of(&path, restore->dir, backup_files[i], INCOMING));
    buf_fini(&path);
}

static enum err
restore_all(struct restore *restore, FILE *tape)
{
    uint64_t now_s = clock_wall_ns() / NS_PER_S;
    enum err err = tape_read(tape, open_incoming, restore, &restore->why);

    if (!err)
        err = check_incoming(restore);
    for (size_t i = 0; i < BACKUP_FILES && !err; i++)
        err = put_in_place(restore, backup_files[i], now_s);
    drop_incoming(restore);
    return err;
}

static int
run_restore(const char *dir, const char *file, bool force)
{
    struct restore restore = {.dir = dir};
    struct backup_locks locks;
    FILE *tape = fopen(file, "rb");
    enum err err = OK;
    int rc = EXIT_CLEAN;

    if (!tape) {
        buf_printf(&restore.why, "%s: %s", file, strerror(errno));
        rc = complain("restore", &restore.why, ERR_IO);
    } else if (has_store(dir) && !force) {
        fprintf(stderr,
                "spangraph restore: there is a store in %s; --force puts it "
                "aside\n",
                dir);
        rc = EXIT_USAGE;
    } else if ((err = backup_dir_lock(dir, &locks, &restore.why))) {
        rc = complain("restore", &restore.why, err);
    } else {
        err = restore_all(&restore, tape);
        backup_dir_unlock(&locks);
        if (err)
            rc = complain("restore", &restore.why, err);
        else
            printf("%s: restored to %s\n", file, dir);
    }
    if (tape)
        (void)fclose(tape);
    buf_fini(&restore.why);
    return rc;
}

int
cmd_restore(const struct command *self, int argc, char **argv)
{
    const char *dir = "./data";
    bool force = false;
    const struct option_spec specs[] = {
        {"data", OPTION_STR, &dir, "DIR", "directory of the store"},
        {"force", OPTION_FLAG, &force, NULL,
         "put a store that is there aside, as *.before-TIME"},
    };
    enum err err = options_parse(self, specs, 2, &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc != 2) {
        fprintf(stderr, "usage: spangraph %s\n", self->usage);
        return EXIT_USAGE;
    }
    return run_restore(dir, argv[1], force);
}
