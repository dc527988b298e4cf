#include "graph/identity.h"

#include "model/node.h"

static const char nul[1];

static void
finish(struct hash_state **state, const str *parts, size_t len,
       unsigned char *out)
{
    if (state)
        hash_sha256_many(state, parts, len, out);
    else
        hash_sha256(parts, len, out);
}

void
identity_node_many(struct hash_state **state, const struct identity_name *name,
                   unsigned char *out)
{
    const str zero = {nul, 1};
    const str parts[] = {STR("node"),  zero,          name->repo,
                         zero,         name->package, zero,
                         name->symbol, zero,          name->kind};

    finish(state, parts, sizeof(parts) / sizeof(parts[0]), out);
}

void
identity_node(const struct identity_name *name, unsigned char *out)
{
    identity_node_many(NULL, name, out);
}

void
identity_hex(const unsigned char *hash, char *out)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < SHA256_LEN; i++) {
        out[2 * i] = digits[hash[i] >> 4];
        out[2 * i + 1] = digits[hash[i] & 15];
    }
}

void
identity_edge_many(struct hash_state **state, const struct identity_edge *edge,
                   unsigned char *out)
{
    const str zero = {nul, 1};
    const str parts[] = {STR("edge"),
                         zero,
                         {edge->src_hex, IDENTITY_HEX_LEN},
                         zero,
                         {edge->dst_hex, IDENTITY_HEX_LEN},
                         zero,
                         edge->kind,
                         zero,
                         edge->provenance};

    finish(state, parts, sizeof(parts) / sizeof(parts[0]), out);
}

void
identity_edge(const unsigned char *src, const unsigned char *dst, str kind,
              str provenance, unsigned char *out)
{
    char src_hex[IDENTITY_HEX_LEN];
    char dst_hex[IDENTITY_HEX_LEN];

    identity_hex(src, src_hex);
    identity_hex(dst, dst_hex);
    identity_edge_many(
        NULL, &(struct identity_edge){src_hex, dst_hex, kind, provenance}, out);
}

static str
view(const char *text)
{
    return (str){text, strlen(text)};
}

void
identity_of_node(const struct nodes *nodes, uint32_t id, unsigned char *out)
{
    struct node node = nodes_get(nodes, id);
    struct node service = {0};

    if (node.owner)
        service = nodes_get(nodes, node.owner);
    else if (node.kind == NODE_SERVICE)
        service = node;
    identity_node(
        &(struct identity_name){
            .repo = service.name,
            .package = service.env,
            .symbol = node.name,
            .kind = view(node_kind_str(node.kind)),
        },
        out);
}

void
identity_of_edge(const struct nodes *nodes, struct edge_key key,
                 unsigned char *out)
{
    unsigned char src[SHA256_LEN];
    unsigned char dst[SHA256_LEN];

    identity_of_node(nodes, key.src, src);
    identity_of_node(nodes, key.dst, dst);
    identity_edge(src, dst, view(edge_kind_str(key.kind)),
                  STR(IDENTITY_PROVENANCE), out);
}
