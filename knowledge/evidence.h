/*
 * evidence - what the graph said of a route when somebody decided on it.
 *
 * A task to remove a route keeps the verdict of that day; later the same is
 * asked again and compared, so that a route that came back to life is not
 * removed by an old decision.
 *
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_EVIDENCE_H
#define KNOWLEDGE_EVIDENCE_H

#include <cjson/cJSON.h>

#include "knowledge/object.h"

/* evidence_now is what can be said of |object| now: verdict, confidence,
 * reasons, last_observed, count, window, coverage, static_callers; NULL if it
 * is no route that is judged. */
enum err
evidence_now(struct moment *moment, const struct object *object, cJSON **out);

/* evidence_freeze is that of all routes that task |oid| touches, or NULL. */
enum err evidence_freeze(struct moment *moment, int64_t oid, cJSON **out);

/* evidence_frozen is what was frozen first, or NULL. */
enum err evidence_frozen(struct moment *moment, int64_t oid, cJSON **out);

/* evidence_check compares what was frozen with now: status "unchanged",
 * "resurrected" (calls since), "unknown" (cannot be judged now), and routes;
 * NULL if nothing was frozen. */
enum err evidence_check(struct moment *moment, int64_t oid, cJSON **out);

#endif
