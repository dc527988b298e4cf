/*
 * attr - the attributes that are read, and no others.
 *
 * This table is the allow-list of the data minimisation rule: a key that is
 * not here is validated and skipped, its value is never copied.  Each key has
 * a slot of its own; which of several keys wins is decided where the value is
 * used (runtime/endpoint.c), not where it is decoded.
 *
 * Sources: OpenTelemetry semantic conventions 1.44 and their deprecated
 * forms; the order of a group is the order in which it is asked.
 *
 * Threads    None; plain values.
 */
#ifndef MODEL_ATTR_H
#define MODEL_ATTR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* clang-format off */
#define ATTRS(X) \
    /* resource: who sends */ \
    X(SERVICE_NAME, "service.name") \
    X(SERVICE_NAMESPACE, "service.namespace") \
    X(SERVICE_VERSION, "service.version") \
    X(DEPLOYMENT_ENVIRONMENT_NAME, "deployment.environment.name") \
    X(DEPLOYMENT_ENVIRONMENT, "deployment.environment") \
    X(K8S_DEPLOYMENT, "k8s.deployment.name") \
    X(K8S_REPLICASET, "k8s.replicaset.name") \
    X(K8S_STATEFULSET, "k8s.statefulset.name") \
    X(K8S_DAEMONSET, "k8s.daemonset.name") \
    X(K8S_CRONJOB, "k8s.cronjob.name") \
    X(K8S_JOB, "k8s.job.name") \
    X(K8S_POD, "k8s.pod.name") \
    X(K8S_CONTAINER, "k8s.container.name") \
    X(K8S_NAMESPACE, "k8s.namespace.name") \
    X(VCS_REVISION, "vcs.ref.head.revision") \
    X(VCS_REVISION_OLD, "vcs.repository.ref.revision") \
    X(SDK_LANGUAGE, "telemetry.sdk.language") \
    /* HTTP */ \
    X(HTTP_METHOD, "http.request.method") \
    X(HTTP_METHOD_ORIGINAL, "http.request.method_original") \
    X(HTTP_METHOD_OLD, "http.method") \
    X(HTTP_ROUTE, "http.route") \
    X(URL_PATH, "url.path") \
    X(HTTP_TARGET, "http.target") \
    X(HTTP_PATH, "http.path") \
    X(URL_FULL, "url.full") \
    X(HTTP_URL, "http.url") \
    X(URL_TEMPLATE, "url.template") \
    X(HTTP_STATUS, "http.response.status_code") \
    X(HTTP_STATUS_OLD, "http.status_code") \
    X(ERROR_TYPE, "error.type") \
    /* where to */ \
    X(PEER_NAME, "service.peer.name") \
    X(PEER_NAMESPACE, "service.peer.namespace") \
    X(PEER_SERVICE, "peer.service") \
    X(SERVER_ADDRESS, "server.address") \
    X(SERVER_PORT, "server.port") \
    X(NET_PEER_NAME, "net.peer.name") \
    X(NET_PEER_PORT, "net.peer.port") \
    X(HTTP_HOST, "http.host") \
    X(NETWORK_PEER_ADDRESS, "network.peer.address") \
    X(NETWORK_PEER_PORT, "network.peer.port") \
    X(NET_SOCK_PEER_ADDR, "net.sock.peer.addr") \
    X(NET_SOCK_PEER_PORT, "net.sock.peer.port") \
    X(NET_PEER_IP, "net.peer.ip") \
    /* models and agents */ \
    X(GEN_AI_OPERATION, "gen_ai.operation.name") \
    X(GEN_AI_PROVIDER, "gen_ai.provider.name") \
    X(GEN_AI_SYSTEM, "gen_ai.system") \
    /* MCP */ \
    X(GEN_AI_TOOL, "gen_ai.tool.name") \
    X(GEN_AI_PROMPT, "gen_ai.prompt.name") \
    X(MCP_METHOD, "mcp.method.name") \
    /* RPC */ \
    X(RPC_SYSTEM, "rpc.system.name") \
    X(RPC_SYSTEM_OLD, "rpc.system") \
    X(RPC_METHOD, "rpc.method") \
    X(RPC_METHOD_ORIGINAL, "rpc.method_original") \
    X(RPC_SERVICE, "rpc.service") \
    X(RPC_STATUS, "rpc.status_code") \
    X(RPC_STATUS_OLD, "rpc.response.status_code") \
    X(RPC_CONNECT_ERROR, "rpc.connect_rpc.error_code") \
    X(RPC_GRPC_STATUS, "rpc.grpc.status_code") \
    X(RPC_JSON_ERROR, "rpc.jsonrpc.error_code") \
    /* databases */ \
    X(DB_SYSTEM, "db.system.name") \
    X(DB_SYSTEM_OLD, "db.system") \
    X(DB_NAMESPACE, "db.namespace") \
    X(DB_NAME, "db.name") \
    X(DB_REDIS_INDEX, "db.redis.database_index") \
    X(DB_ES_CLUSTER, "db.elasticsearch.cluster.name") \
    X(DB_COLLECTION, "db.collection.name") \
    X(JDBC_DATASOURCE, "jdbc.datasource.name") \
    X(R2DBC_CONNECTION, "r2dbc.connection") \
    X(DB_OPERATION, "db.operation.name") \
    X(DB_OPERATION_OLD, "db.operation") \
    /* messaging */ \
    X(MSG_SYSTEM, "messaging.system") \
    X(MSG_TEMPLATE, "messaging.destination.template") \
    X(MSG_DESTINATION, "messaging.destination.name") \
    X(MSG_DESTINATION_OLD, "messaging.destination") \
    X(MSG_PUBLISHED_TO, "messaging.destination_publish.name") \
    X(MSG_SOURCE, "messaging.source.name") \
    X(MSG_BUS, "message_bus.destination") \
    X(MSG_ROUTING_KEY, "messaging.rabbitmq.destination.routing_key") \
    X(MSG_ROUTING_KEY_OLD, "messaging.rabbitmq.routing_key") \
    X(BULLMQ_QUEUE, "bullmq.queue.name") \
    X(AWS_QUEUE, "aws.sqs.queue.url") \
    X(AWS_QUEUE_OLD, "aws.queue_url") \
    X(AWS_TOPIC, "aws.sns.topic.arn") \
    X(KAFKA_TOPIC, "kafka.topic") \
    X(MSG_TEMPORARY, "messaging.destination.temporary") \
    X(MSG_ANONYMOUS, "messaging.destination.anonymous") \
    X(MSG_OPERATION, "messaging.operation.type") \
    X(MSG_OPERATION_OLD, "messaging.operation") \
    X(MSG_OPERATION_NAME, "messaging.operation.name") \
    X(MSG_BATCH_COUNT, "messaging.batch.message_count") \
    /* serverless */ \
    X(FAAS_NAME, "faas.name") \
    X(FAAS_TRIGGER, "faas.trigger") \
    X(FAAS_INVOKED_NAME, "faas.invoked_name") \
    /* code */ \
    X(CODE_NAMESPACE, "code.namespace") \
    X(NEST_CONTROLLER, "nestjs.controller") \
    X(CODE_FUNCTION, "code.function.name") \
    X(CODE_FUNCTION_OLD, "code.function") \
    X(NEST_CALLBACK, "nestjs.callback") \
    X(HOOK_CALLBACK, "hook.callback.name") \
    X(CODE_FILE, "code.file.path") \
    X(CODE_FILE_OLD, "code.filepath") \
    X(CODE_LINE, "code.line.number") \
    X(CODE_LINE_OLD, "code.lineno") \
    /* who asks, and how often it was thrown away */ \
    X(SYNTHETIC_TYPE, "user_agent.synthetic.type") \
    X(USER_AGENT, "user_agent.original") \
    X(USER_AGENT_OLD, "http.user_agent") \
    X(SAMPLER_TYPE, "sampler.type") \
    X(SAMPLER_PARAM, "sampler.param") \
    X(SAMPLE_RATE, "SampleRate")
/* clang-format on */

#define ATTR_SLOT(id, key) ATTR_##id,
enum attr { ATTRS(ATTR_SLOT) ATTR_COUNT };
#undef ATTR_SLOT

_Static_assert(ATTR_COUNT <= 128, "attr_set.mask has 128 bits");

/* As protobuf tags the fields of an AnyValue, so that nothing translates. */
enum attr_type {
    ATTR_NONE = 0, /* empty, bytes, array or key-value list: present,
                      unreadable */
    ATTR_STR = 0x0a,
    ATTR_BOOL = 0x10,
    ATTR_INT = 0x18,
    ATTR_DOUBLE = 0x21,
};

/* attr_value is one value; a string points into the request. */
struct attr_value {
    uint32_t len; /* of str, in bytes */
    uint8_t type; /* enum attr_type */
    union {
        const char *str;
        int64_t i; /* of ATTR_BOOL: 0 is false, all else true */
        double d;
    };
};

/*
 * attr_set holds what one span, or one resource, carries of the table above.
 * Only the mask is cleared between spans: a value is defined where its bit is
 * set, and only there.  One more slot than keys, for a decoder that stores
 * unknown keys without a branch.  Of two values for one key the later wins.
 */
struct attr_set {
    uint64_t mask[2];
    struct attr_value value[ATTR_COUNT + 1];
};

/* Up to here a double holds every integer. */
#define ATTR_WHOLE_MAX 9007199254740992.0

static inline bool
attr_has(const struct attr_set *set, enum attr id)
{
    return set->mask[id / 64] >> (id % 64) & 1;
}

/* attr_str is the value of |id| if it is a string, else the empty view. */
static inline str
attr_str(const struct attr_set *set, enum attr id)
{
    const struct attr_value *value = &set->value[id];

    if (!attr_has(set, id) || value->type != ATTR_STR)
        return (str){NULL, 0};
    return (str){value->str, value->len};
}

/* attr_int reads an integer into |out|, which else it leaves alone.  What was
 * read from JSON on its way has doubles for all numbers, and some senders have
 * strings of decimal digits. */
static inline bool
attr_int(const struct attr_set *set, enum attr id, int64_t *out)
{
    const struct attr_value *value = &set->value[id];
    int64_t number = 0;

    if (!attr_has(set, id))
        return false;
    if (value->type == ATTR_INT) {
        *out = value->i;
        return true;
    }
    if (value->type == ATTR_DOUBLE && value->d >= -ATTR_WHOLE_MAX &&
        value->d <= ATTR_WHOLE_MAX && (double)(int64_t)value->d == value->d) {
        *out = (int64_t)value->d;
        return true;
    }
    if (value->type != ATTR_STR || value->len == 0 || value->len > 18)
        return false;
    for (uint32_t i = 0; i < value->len; i++) {
        if (value->str[i] < '0' || value->str[i] > '9')
            return false;
        number = number * 10 + (value->str[i] - '0');
    }
    *out = number;
    return true;
}

#endif
