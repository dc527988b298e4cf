/*
 * strip - a request again, with what the graph needs and nothing else.
 *
 * Pairing needs both sides of a call, which come by different sidecars, so a
 * sidecar cannot pair.  It makes requests small instead: it writes what a
 * decoder hands to a span_visitor (model/span.h) as OTLP protobuf.  That is all
 * that the intake of the gateway could have seen of the original, so the graph
 * is the same by construction: a key that is added to model/attr.h is forwarded
 * without a change here, one that is not there is neither forwarded nor stored.
 *
 * Left out are events, dropped counts, the text of a status, attributes of
 * scopes and links, keys beyond model/attr.h, the content of values that are
 * lists, maps or bytes (that they are there is kept), and spans and links that
 * are no good (R12), which the sender of the request is told of here.
 *
 *     strip_begin(strip, &visitor)  ->  decode  ->  strip_take(strip, &bytes)
 *
 * The bytes of two requests one after the other are one request.
 *
 * Memory     A strip keeps up to STRIP_KEEP bytes for the next request.
 * Threads    One at a time.
 */
#ifndef RELAY_STRIP_H
#define RELAY_STRIP_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "model/span.h"

enum { STRIP_KEEP = 256 << 10 };

struct strip;

/* strip_new returns NULL without memory. */
struct strip *strip_new(void);
void strip_free(struct strip *strip);

/* strip_begin forgets what was collected and says where spans go. */
void strip_begin(struct strip *strip, struct span_visitor *out);

/*
 * strip_take appends what was collected to |out| and forgets it.  |spans| is
 * how many there are.
 *
 * ERR_NOMEM  it could not be collected whole; |out| is as it was
 */
enum err strip_take(struct strip *strip, struct buf *out, uint32_t *spans);

#endif
