#include "net/grpc_home.h"

#include <stdlib.h>

#include "base/metrics.h"

void
rpc_home_ref(struct rpc_home *home)
{
    atomic_fetch_add(&home->refs, 1);
}

void
rpc_home_unref(struct rpc_home *home)
{
    if (!home || atomic_fetch_sub(&home->refs, 1) != 1)
        return;
    metrics_add(METRIC_MEMORY_LIMIT, -(int64_t)home->budget_bytes);
    free(home);
}

bool
rpc_home_take(struct rpc_home *home, size_t len)
{
    if (atomic_fetch_add(&home->used_bytes, len) + len > home->budget_bytes) {
        atomic_fetch_sub(&home->used_bytes, len);
        return false;
    }
    metrics_add(METRIC_MEMORY_RESERVED, (int64_t)len);
    return true;
}

void
rpc_home_give(struct rpc_home *home, size_t len)
{
    atomic_fetch_sub(&home->used_bytes, len);
    metrics_add(METRIC_MEMORY_RESERVED, -(int64_t)len);
}

bool
rpc_charge_take(void *ctx, size_t len)
{
    struct rpc_charge *charge = ctx;

    if (!rpc_home_take(charge->home, len))
        return false;
    charge->bytes += len;
    return true;
}

enum request_problem
rpc_charge_begin(struct rpc_charge *charge, size_t len)
{
    if (len > charge->home->budget_bytes)
        return REQUEST_TOO_LARGE;
    return rpc_charge_take(charge, len) ? REQUEST_WHOLE : REQUEST_NO_ROOM;
}

void
rpc_charge_keep(struct rpc_charge *charge, size_t keep)
{
    if (charge->bytes <= keep)
        return;
    rpc_home_give(charge->home, charge->bytes - keep);
    charge->bytes = keep;
}

size_t
rpc_home_beside(const struct rpc_home *home, size_t len)
{
    return len < home->budget_bytes ? home->budget_bytes - len : 0;
}
