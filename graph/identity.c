#include "graph/identity.h"

#include "model/node.h"

static const char nul[1];

void
identity_node(const struct identity_name *name, unsigned char *out)
{
    const str zero = {nul, 1};
    const str parts[] = {STR("node"),  zero,          name->repo,
                         zero,         name->package, zero,
                         name->symbol, zero,          name->kind};

    hash_sha256(parts, sizeof(parts) / sizeof(parts[0]), out);
}

static str
hex(const unsigned char *hash, char *out)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < SHA256_LEN; i++) {
        out[2 * i] = digits[hash[i] >> 4];
        out[2 * i + 1] = digits[hash[i] & 15];
    }
    return (str){out, (size_t)2 * SHA256_LEN};
}

void
identity_edge(const unsigned char *src, const unsigned char *dst, str kind,
              str provenance, unsigned char *out)
{
    char src_hex[2 * SHA256_LEN];
    char dst_hex[2 * SHA256_LEN];
    const str zero = {nul, 1};
    const str parts[] = {
        STR("edge"), zero, hex(src, src_hex), zero, hex(dst, dst_hex), zero,
        kind,        zero, provenance};

    hash_sha256(parts, sizeof(parts) / sizeof(parts[0]), out);
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
