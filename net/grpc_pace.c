#include "net/grpc_pace.h"

#include "base/clock.h"

bool
pace_take(struct pace *pace, size_t len, uint64_t now_ns, bool is_waiting,
          uint32_t rate)
{
    uint64_t took_ns = now_ns - pace->since_ns;
    bool is_judged = is_waiting && pace->since_ns > 0;

    pace->bytes += len;
    if (is_judged && took_ns < PACE_NS)
        return true;
    bool is_slow = is_judged && pace->bytes * 1000 < took_ns / NS_PER_MS * rate;
    *pace = (struct pace){.since_ns = is_waiting ? now_ns : 0};
    return !is_slow;
}
