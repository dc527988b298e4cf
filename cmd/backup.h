/*
 * backup - what `backup` and `restore` share.
 *
 * Threads    None.
 */
#ifndef CMD_BACKUP_H
#define CMD_BACKUP_H

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"

/* backup_complain prints |why| for |command| and gives its exit code. */
int backup_complain(const char *command, const struct buf *why, enum err err);

/* backup_path is "<dir>/<file><suffix>", good until |buf| is used again. */
const char *backup_path(struct buf *buf, const char *dir, const char *file,
                        const char *suffix);

/* backup_create makes |path|, for the owner alone as all of a store is; NULL
 * with errno, EEXIST if it is there. */
FILE *backup_create(const char *path);

#endif
