/*
 * pair_rig - a pair, a clock and sums, for tests that send span by span.
 */
#ifndef TESTS_SUPPORT_PAIR_RIG_H
#define TESTS_SUPPORT_PAIR_RIG_H

#include <stdint.h>

#include "base/clock.h"
#include "model/stub.h"
#include "runtime/pair.h"
#include "tests/support/pair_sums.h"

#define START_NS (UINT64_C(1700000000) * NS_PER_S)
#define S        NS_PER_S

enum {
    USER = 1,
    SCOPE = 2,
    WEB = 10,
    API = 11,
    WORKER = 12,
    PAY = 20,
    TOPIC = 21,
};

struct pair_rig {
    struct pair *pair;
    struct pair_sums sums;
    uint64_t now_ns;
};

/* 60 s, 15 min, 24 h; 1024 spans, 64 producers. */
struct pair_cfg pair_rig_cfg(void);

void pair_rig_open(struct pair_rig *rig, const struct pair_cfg *cfg);

/* pair_rig_span is a span of one trace, with what its kind needs. */
struct stub
pair_rig_span(uint8_t kind, uint64_t id, uint64_t parent, uint32_t service);

/* pair_rig_send sends one span, with a link to span |link| if it is not 0. */
void pair_rig_send(struct pair_rig *rig, struct stub stub, uint64_t link);

/* pair_rig_crowd sends |len| spans that wait for nothing, from id |first|. */
void pair_rig_crowd(struct pair_rig *rig, uint64_t first, uint64_t len);

void pair_rig_pass(struct pair_rig *rig, uint64_t ns);

int64_t pair_rig_count(const struct pair_rig *rig, uint32_t src, uint32_t dst,
                       uint8_t kind);

/* pair_rig_close lets all horizons end and sees that nothing is left. */
void pair_rig_close(struct pair_rig *rig);

#endif
