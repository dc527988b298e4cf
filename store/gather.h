/*
 * gather - a layer below SQLite that writes the write-ahead log in few pieces.
 *
 * SQLite writes each page of a transaction by two calls, one of them of 24
 * bytes; of a group of requests that is forty.  Here they are held back until
 * the frame that commits, and given to the system at once: whoever may see a
 * transaction, by the index of the log or after a sync, finds it whole.  Files
 * other than logs are opened by the layer below and never seen again.
 *
 * Errors     A write that fails later fails the one that ends the transaction,
 *            which SQLite takes back as it does any other.
 * Threads    gather_vfs: any.  A file: one, as SQLite has it.
 */
#ifndef STORE_GATHER_H
#define STORE_GATHER_H

/* gather_vfs is the name to open a database with.  What lies below is the
 * default when it is first asked for. */
const char *gather_vfs(void);

#endif
