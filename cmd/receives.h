/*
 * receives - where spans are to be sent, in words, as it is configured.
 *
 * Who finds no spans is told where they are taken.  A listener at port 0 is
 * where its log says, and is left out; so is one that is off.
 *
 * Threads    None.
 */
#ifndef CMD_RECEIVES_H
#define CMD_RECEIVES_H

#include "base/buf.h"
#include "cmd/config.h"

/* receives_words appends "port 4317 (gRPC) or port 4318 (HTTP)". */
void receives_words(const struct config *cfg, struct buf *out);

/* receives_exporter appends what an SDK on this machine has in its environment
 * to send here. */
void receives_exporter(const struct config *cfg, struct buf *out);

#endif
