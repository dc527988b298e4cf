/*
 * gate - what an audit means for a build: pass, fail, or cannot say.
 *
 * A verdict tells what is known of a route.  The gate decides which verdicts a
 * build fails on, sets aside what rests on too little coverage, and what was
 * found before and is in the baseline.
 *
 *     gate_judge(&gate, view, &audit)    then gate_code(&gate)
 *
 * dead    never_observed, stopped
 * any     these, and zombie, synthetic_only, probe_only, undocumented
 * none    nothing fails; reports list what `any` would
 *
 * Low and seasonal routes are alive as far as can be told, and never fail.
 *
 * Memory     gate_fini frees the marks and the baseline.
 * Threads    None.
 */
#ifndef CMD_GATE_H
#define CMD_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "graph/audit.h"

enum gate_fail_on { FAIL_ON_DEAD, FAIL_ON_ANY, FAIL_ON_NONE };

/* What a route is to the build. */
enum gate_mark {
    GATE_PASS,
    GATE_NEW,   /* a finding */
    GATE_KNOWN, /* a finding that the baseline has */
    GATE_WEAK,  /* would be one, or be cleared, if coverage were enough */
    GATE_MARK_COUNT,
};

struct gate {
    enum gate_fail_on fail_on;
    double min_coverage; /* 0 to 1; 0 asks for none */
    size_t max_new;      /* new findings that do not fail yet */
    char **known;        /* the baseline: sorted keys of its findings */
    size_t known_len;
    bool has_baseline;
    enum gate_mark *marks;
    size_t count[GATE_MARK_COUNT];
    size_t len;
    size_t open; /* routes of which nothing can be said, and suppressed ones */
};

/* gate_fail_on_of reads "dead", "any" or "none". */
bool gate_fail_on_of(str word, enum gate_fail_on *out);

/* gate_is_finding says whether |verdict| counts. */
bool gate_is_finding(enum gate_fail_on fail_on, enum verdict verdict);

/* What a route is known by from run to run. */
struct gate_key {
    str service;
    str env;
    str method;
    str route;
};
struct gate_key
gate_key(const struct query_view *view, const struct audit_route *route);

/* gate_key_add appends the key as one text. */
void gate_key_add(struct buf *out, const struct gate_key *key);

/*
 * gate_baseline reads |text|, the JSON of an earlier run.
 *
 * ERR_INVALID  it is none
 * ERR_NOMEM
 */
enum err gate_baseline(struct gate *gate, str text);

/* gate_take judges one route and counts it; |text| is room for its key. */
enum gate_mark
gate_take(struct gate *gate, enum verdict verdict, double coverage,
          const struct gate_key *key, struct buf *text);

/* gate_judge marks every route.  ERR_NOMEM. */
enum err gate_judge(struct gate *gate, const struct query_view *view,
                    const struct audit *audit);

/*
 * gate_code is the exit code: EXIT_FINDINGS with more new findings than
 * max_new; else, unless nothing can fail, EXIT_NO_EVIDENCE if a route is weak
 * or none of them could be judged; else EXIT_CLEAN.
 */
int gate_code(const struct gate *gate);
void gate_fini(struct gate *gate);

const char *gate_mark_str(enum gate_mark mark);

#endif
