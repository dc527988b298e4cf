/*
 * The words of the audit, as they are printed and asked for.
 */
#include "graph/audit.h"

static const char *const verdicts[] = {
    [VERDICT_NEVER_OBSERVED] = "never_observed",
    [VERDICT_STOPPED] = "stopped",
    [VERDICT_ZOMBIE] = "zombie",
    [VERDICT_SYNTHETIC_ONLY] = "synthetic_only",
    [VERDICT_PROBE_ONLY] = "probe_only",
    [VERDICT_UNDOCUMENTED] = "undocumented",
    [VERDICT_LOW] = "low",
    [VERDICT_SEASONAL] = "seasonal",
    [VERDICT_TOO_NEW] = "too_new",
    [VERDICT_INSUFFICIENT] = "insufficient_window",
    [VERDICT_NOT_OBSERVABLE] = "not_observable",
    [VERDICT_SUPPRESSED] = "suppressed",
    [VERDICT_ACTIVE] = "active",
};

const char *
verdict_str(enum verdict verdict)
{
    return verdicts[verdict];
}

enum verdict
verdict_of(str word)
{
    enum verdict verdict = VERDICT_NEVER_OBSERVED;

    while (verdict < VERDICT_COUNT && !str_eq(word, str_of(verdicts[verdict])))
        verdict++;
    return verdict;
}

bool
verdict_is_dead(enum verdict verdict)
{
    return verdict == VERDICT_NEVER_OBSERVED || verdict == VERDICT_STOPPED;
}

bool
verdict_is_open(enum verdict verdict)
{
    return verdict == VERDICT_TOO_NEW || verdict == VERDICT_INSUFFICIENT ||
           verdict == VERDICT_NOT_OBSERVABLE;
}

const char *
trust_str(enum trust trust)
{
    static const char *const words[] = {"none", "low", "medium", "high"};

    return words[trust];
}

#define AUDIT_REASON_TEXT(id, text) text,

const char *
audit_reason_str(enum audit_reason reason)
{
    static const char *const words[] = {AUDIT_REASONS(AUDIT_REASON_TEXT)};

    return words[reason];
}
