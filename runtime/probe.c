#include "runtime/probe.h"

#include "base/match.h"

const char *const intake_default_agents[] = {
    "kube-probe/*",
    "ELB-HealthChecker/*",
    "GoogleHC/*",
    "GoogleStackdriverMonitoring-UptimeChecks*",
    "Prometheus/*",
    "Blackbox Exporter/*",
    "Blackbox-Exporter/*",
    "Amazon-Route53-Health-Check-Service*",
    "Amazon-Route-53-Health-Check-Service*",
    "Consul Health Check*",
    "Envoy/HC*",
    "Edge Health Probe*",
    "Load Balancer Agent*",
    "Azure Traffic Manager Endpoint Monitor*",
    "Datadog/Synthetics*",
    "DatadogSynthetics*",
    "Checkly/*",
    "Better Uptime Bot*",
    "check_http/*",
    "*UptimeRobot*",
    "*Pingdom*",
    "*StatusCake*",
    "*Site24x7*",
};
const size_t intake_default_agents_len =
    sizeof(intake_default_agents) / sizeof(intake_default_agents[0]);

bool
probe_is(struct intake_lane *lane, const struct attr_set *attrs)
{
    struct memo_key key = {.use = MEMO_AGENT};
    struct memo_value value = {0, 0};

    if (attr_str(attrs, ATTR_SYNTHETIC_TYPE).len > 0)
        return true;
    key.b = lane_either(attrs, ATTR_USER_AGENT, ATTR_USER_AGENT_OLD);
    if (key.b.len == 0)
        return false;
    if (!memo_find(lane->memo, &key, &value)) {
        for (size_t i = 0; i < lane->cfg->exclude_agents_len; i++)
            value.flags |=
                match_glob(str_of(lane->cfg->exclude_agents[i]), key.b);
        lane_remember(lane, &key, value);
    }
    return value.flags != 0;
}
