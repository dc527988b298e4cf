/*
 * `spangraph restore`, and what `serve` takes of it when it starts.
 *
 * The databases are unpacked beside those of the store and looked at; only when
 * all are good are the old ones renamed to *.before-TIME and the new ones take
 * their names; if one of them cannot, the old ones get theirs back.  Whoever
 * writes the store holds it in memory, too, and would write over what is put
 * beneath it.  So while a service runs, the new ones wait beside it with a note
 * (NOTE) that says which they are, and the service takes them when it is
 * started again.  What was begun and cut off is gone on with: the note is
 * removed last.
 */
#include "cmd/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/backup.h"
#include "cmd/options.h"
#include "cmd/tape.h"
#include "store/backup.h"
#include "store/files.h"
#include "store/segment_file.h"

#define INCOMING ".incoming"
#define NOTE     "restore"

struct restore {
    const char *dir;
    uint64_t now_s; /* in the names of what is put aside */
    bool is_there[BACKUP_FILES];
    bool cannot_write;
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
        (void)unlink(backup_path(&path, restore->dir, name, INCOMING));
        file = backup_create(buf_cstr(&path));
        restore->is_there[i] = file != NULL;
        restore->cannot_write = !file;
        if (!file)
            buf_printf(&restore->why, "%s: %s", buf_cstr(&path),
                       strerror(errno));
    }
    buf_fini(&path);
    return file;
}

/* A file, or what names a directory has. */
static enum err
sync_path(struct restore *restore, const char *path, bool is_dir)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int code = 0;
    enum err err = OK;

    if (fd >= 0 && is_dir)
        code = files_sync_dir(fd);
    else if (fd < 0 || fsync(fd) != 0)
        code = errno;
    if (code) {
        buf_printf(&restore->why, "%s: %s", path, strerror(code));
        err = ERR_IO;
    }
    if (fd >= 0)
        close(fd);
    return err;
}

/* What reading a file that waits leaves beside it, which is empty. */
static void
drop_beside(const struct restore *restore, size_t i)
{
    struct buf path = {0};

    (void)unlink(
        backup_path(&path, restore->dir, backup_files[i], INCOMING "-wal"));
    (void)unlink(
        backup_path(&path, restore->dir, backup_files[i], INCOMING "-shm"));
    buf_fini(&path);
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
        (void)backup_path(&path, restore->dir, backup_files[i], INCOMING);
        err = backup_check(buf_cstr(&path), &restore->why);
        if (!err)
            err = backup_check_version(buf_cstr(&path), i, &restore->why);
        drop_beside(restore, i);
        if (!err)
            err = sync_path(restore, buf_cstr(&path), false);
        count++;
    }
    if (!err && count == 0)
        err = ERR_INVALID;
    buf_fini(&path);
    return err;
}

static enum err
move(struct restore *restore, const char *from, const char *to)
{
    if (rename(from, to) == 0 || errno == ENOENT)
        return OK;
    buf_printf(&restore->why, "%s: %s", to, strerror(errno));
    return ERR_IO;
}

/* The journal of |file| goes with it. */
static enum err
move_journal(struct restore *restore, const char *file, uint64_t now_s,
             bool back)
{
    char aside[96];

    (void)snprintf(aside, sizeof(aside), "%s.before-%llu", file,
                   (unsigned long long)now_s);
    int code = back ? segment_files_move(restore->dir, aside, file)
                    : segment_files_move(restore->dir, file, aside);
    if (code == 0)
        return OK;
    buf_printf(&restore->why, "%s: %s", aside, strerror(code));
    return ERR_IO;
}

/* Puts the database |file| aside, or back: with what is kept beside it. */
static enum err
put_aside(struct restore *restore, const char *file, uint64_t now_s, bool back)
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    struct buf place = {0};
    struct buf other = {0};
    char aside[48];
    enum err err = move_journal(restore, file, now_s, back);

    for (size_t i = 0; i < 3 && !err; i++) {
        (void)snprintf(aside, sizeof(aside), ".before-%llu%s",
                       (unsigned long long)now_s, suffixes[i]);
        (void)backup_path(&place, restore->dir, file, suffixes[i]);
        (void)backup_path(&other, restore->dir, file, aside);
        err = back ? move(restore, buf_cstr(&other), buf_cstr(&place))
                   : move(restore, buf_cstr(&place), buf_cstr(&other));
    }
    buf_fini(&place);
    buf_fini(&other);
    return err;
}

static enum err
put_in_place(struct restore *restore, const char *file)
{
    struct buf from = {0};
    struct buf to = {0};
    enum err err =
        move(restore, backup_path(&from, restore->dir, file, INCOMING),
             backup_path(&to, restore->dir, file, ""));

    buf_fini(&from);
    buf_fini(&to);
    return err;
}

/* What was renamed is still so after a loss of power. */
static enum err
sync_dir(struct restore *restore)
{
    return sync_path(restore, restore->dir, true);
}

static bool
is_waiting(struct restore *restore, size_t i)
{
    struct buf path = {0};
    bool waits =
        access(backup_path(&path, restore->dir, backup_files[i], INCOMING),
               F_OK) == 0;

    buf_fini(&path);
    return waits;
}

/* Undoes the swap of one database, which then waits again. */
static void
put_back(struct restore *restore, size_t i)
{
    struct buf from = {0};
    struct buf to = {0};

    if (restore->is_there[i] && !is_waiting(restore, i))
        (void)move(restore,
                   backup_path(&from, restore->dir, backup_files[i], ""),
                   backup_path(&to, restore->dir, backup_files[i], INCOMING));
    (void)put_aside(restore, backup_files[i], restore->now_s, true);
    buf_fini(&from);
    buf_fini(&to);
}

/* All of them, or none.  A database of the backup that waits no more was taken
 * before this was cut off. */
static enum err
swap(struct restore *restore)
{
    enum err err = OK;
    size_t done = 0;

    for (; done < BACKUP_FILES && !err; done++) {
        const char *file = backup_files[done];

        if (restore->is_there[done] && !is_waiting(restore, done))
            continue;
        err = put_aside(restore, file, restore->now_s, false);
        if (!err && restore->is_there[done])
            err = put_in_place(restore, file);
    }
    if (!err)
        err = sync_dir(restore);
    for (size_t i = 0; err && i < done; i++)
        put_back(restore, i);
    return err;
}

/* Removes what waits, the note first. */
static void
drop_incoming(struct restore *restore)
{
    struct buf path = {0};

    (void)unlink(backup_path(&path, restore->dir, NOTE, ""));
    for (size_t i = 0; i < BACKUP_FILES; i++)
        (void)unlink(
            backup_path(&path, restore->dir, backup_files[i], INCOMING));
    buf_fini(&path);
}

/* ---- the note: when it was made, and which databases wait ---- */

static enum err
write_note(struct restore *restore)
{
    struct buf part = {0};
    struct buf place = {0};
    FILE *note = fopen(backup_path(&part, restore->dir, NOTE, ".part"), "wbe");
    bool good = note != NULL;

    if (good) {
        good = fprintf(note, "%" PRIu64 "\n", restore->now_s) > 0;
        for (size_t i = 0; i < BACKUP_FILES; i++) {
            if (restore->is_there[i])
                good = fprintf(note, "%s\n", backup_files[i]) > 0 && good;
        }
        good = fflush(note) == 0 && fsync(fileno(note)) == 0 && good;
        good = fclose(note) == 0 && good;
    }
    if (good)
        good = rename(buf_cstr(&part),
                      backup_path(&place, restore->dir, NOTE, "")) == 0;
    if (!good)
        buf_printf(&restore->why, "%s: %s", buf_cstr(&part), strerror(errno));
    buf_fini(&part);
    buf_fini(&place);
    return good ? sync_dir(restore) : ERR_IO;
}

/* ERR_NOT_FOUND: there is none. */
static enum err
read_note(struct restore *restore)
{
    struct buf path = {0};
    char line[64];
    char *end;
    FILE *note = fopen(backup_path(&path, restore->dir, NOTE, ""), "rbe");
    enum err err = OK;

    if (!note) {
        err = errno == ENOENT ? ERR_NOT_FOUND : ERR_IO;
        buf_printf(&restore->why, "%s: %s", buf_cstr(&path), strerror(errno));
        buf_fini(&path);
        return err;
    }
    if (!fgets(line, sizeof(line), note) ||
        (restore->now_s = strtoull(line, &end, 10)) == 0 || *end != '\n')
        err = ERR_INVALID;
    while (!err && fgets(line, sizeof(line), note)) {
        line[strcspn(line, "\n")] = '\0';
        size_t i = 0;
        while (i < BACKUP_FILES && strcmp(line, backup_files[i]) != 0)
            i++;
        if (i == BACKUP_FILES)
            err = ERR_INVALID;
        else
            restore->is_there[i] = true;
    }
    if (err || ferror(note)) {
        buf_printf(&restore->why, "%s: not written by restore; remove it",
                   buf_cstr(&path));
        err = ERR_INVALID;
    }
    (void)fclose(note);
    buf_fini(&path);
    return err;
}

enum err
restore_take(const char *dir, bool *taken, struct buf *why)
{
    struct restore restore = {.dir = dir};
    struct backup_locks locks;
    enum err err = read_note(&restore);

    *taken = false;
    if (err == ERR_NOT_FOUND) {
        buf_fini(&restore.why);
        return OK;
    }
    if (!err && !(err = backup_dir_lock(dir, &locks, &restore.why))) {
        if (!(err = swap(&restore)))
            drop_incoming(&restore);
        backup_dir_unlock(&locks);
        *taken = !err;
    }
    buf_add(why, buf_str(&restore.why));
    buf_fini(&restore.why);
    return err;
}

/* ---- the command ---- */

/* Unpacks what is to be taken, and notes it once all of it is good. */
static enum err
stage(struct restore *restore, FILE *tape)
{
    enum err err;

    drop_incoming(restore);
    restore->now_s = clock_wall_ns() / NS_PER_S;
    err = tape_read(tape, open_incoming, restore, &restore->why);
    if (restore->cannot_write)
        err = ERR_IO;
    if (!err)
        err = check_incoming(restore);
    return err ? err : write_note(restore);
}

static enum err
restore_all(struct restore *restore, FILE *tape, bool *waits)
{
    struct backup_locks locks;
    enum err err = backup_dir_lock(restore->dir, &locks, &restore->why);

    *waits = err == ERR_BUSY;
    if (err && !*waits)
        return err;
    buf_reset(&restore->why);
    err = stage(restore, tape);
    if (!err && !*waits)
        err = swap(restore);
    if (err || !*waits)
        drop_incoming(restore);
    if (err && !*waits)
        backup_dir_abandon(restore->dir, &locks);
    else if (!*waits)
        backup_dir_unlock(&locks);
    return err;
}

static int
run_restore(const char *dir, const char *file, bool force)
{
    struct restore restore = {.dir = dir};
    FILE *tape = strcmp(file, "-") == 0 ? stdin : fopen(file, "rb");
    bool waits = false;
    enum err err;
    int rc = EXIT_CLEAN;

    if (!tape) {
        buf_printf(&restore.why, "%s: %s", file, strerror(errno));
        rc = backup_complain("restore", &restore.why, ERR_IO);
    } else if (backup_is_there(dir) && !force) {
        fprintf(stderr,
                "spangraph restore: there is a store in %s; --force puts it "
                "aside\n",
                dir);
        rc = EXIT_USAGE;
    } else if ((err = restore_all(&restore, tape, &waits))) {
        rc = backup_complain("restore", &restore.why, err);
    } else if (waits) {
        printf("%s: a service writes %s; it takes this when it is started "
               "again (systemctl restart spangraph)\n",
               file, dir);
    } else {
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
