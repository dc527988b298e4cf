/*
 * Addresses of digits need thought: the network.peer.* family is not to be
 * stored in general, for on the server side it is the address of a person.  On
 * an egress it is the machine that was called; it names a database, and only
 * as long as it is an address, when nothing better does.
 */
#include "runtime/peer.h"

#include <strings.h>

#include "base/redact.h"
#include "graph/route_text.h"

bool
peer_is_db(const struct attr_set *attrs)
{
    return lane_has_any(attrs, ATTR_DB_SYSTEM, ATTR_DB_OPERATION_OLD);
}

/* Micrometer's names for what is around and behind a query of JDBC: they say
 * nothing without its attribute. */
static bool
is_jdbc_upkeep(const struct span *span)
{
    static const str names[] = {STR_INIT("connection"), STR_INIT("result-set"),
                                STR_INIT("generated-keys")};

    if (!attr_has(span->attrs, ATTR_JDBC_DATASOURCE))
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (str_eq(span->name, names[i]))
            return true;
    return false;
}

/* Beside the span of each query, and CLIENT as that is.  When one failed no
 * other may tell of it. */
bool
peer_is_upkeep(const struct intake_lane *lane, const struct span *span)
{
    static const struct {
        str name;
        str scope; /* where the name alone does not say whose it is */
    } upkeep[] = {
        {STR_INIT("pg-pool.connect"), {NULL, 0}}, /* waits for a free one */
        {STR_INIT("sql.conn.reset_session"), {NULL, 0}}, /* Go's otelsql */
        {STR_INIT("sql.rows"), {NULL, 0}},
        {STR_INIT("PDO::prepare"), {NULL, 0}}, /* sent when it is executed */
        {STR_INIT("PDOStatement::fetchAll"), {NULL, 0}},
        {STR_INIT("pool.acquire"), STR_INIT("github.com/exaring/otelpgx")},
        {STR_INIT("connect"), /* takes one of the pool */
         STR_INIT("opentelemetry.instrumentation.sqlalchemy")},
    };

    for (size_t i = 0; i < sizeof(upkeep) / sizeof(upkeep[0]); i++)
        if (str_eq(span->name, upkeep[i].name) &&
            (upkeep[i].scope.len == 0 ||
             str_eq(lane->scope_name, upkeep[i].scope)))
            return span->status != SPAN_ERROR;
    return is_jdbc_upkeep(span) && span->status != SPAN_ERROR;
}

bool
peer_is_above(const struct intake_lane *lane)
{
    static const str scopes[] = {
        STR_INIT("opentelemetry.instrumentation.sqlalchemy"),
        STR_INIT("io.opentelemetry.contrib.php.laravel"),
        /* of models: Anthropic's SDK tells of each call by itself */
        STR_INIT("opentelemetry.instrumentation.anthropic"),
    };

    for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++)
        if (str_eq(lane->scope_name, scopes[i]))
            return true;
    return false;
}

static bool
is_address(str host)
{
    size_t digits = 0;
    size_t colons = 0;

    if (host.len > 2 && host.ptr[0] == '[')
        host = str_cut(host, 1, host.len - 1);
    for (size_t i = 0; i < host.len; i++) {
        char c = host.ptr[i];
        bool is_hex = text_is_digit(c) || (c >= 'a' && c <= 'f') ||
                      (c >= 'A' && c <= 'F');
        colons += c == ':';
        digits += text_is_digit(c) || c == '.';
        if (!is_hex && c != ':' && c != '.' && c != '%')
            return false;
    }
    return host.len > 0 && (colons >= 2 || digits == host.len);
}

static uint32_t
port_of(const struct attr_set *attrs, enum attr id)
{
    int64_t port = 0;

    (void)attr_int(attrs, id, &port);
    return port > 0 && port <= UINT16_MAX ? (uint32_t)port : 0;
}

/* Some tell of a socket of PostgreSQL the folder and the port, others the file,
 * which is called by the port: `/run/postgresql/.s.PGSQL.5432`. */
static str
without_socket(str address, uint32_t *port)
{
    static const str file = STR_INIT("/.s.PGSQL.");
    const char *slash = memrchr(address.ptr, '/', address.len);
    size_t at = slash ? (size_t)(slash - address.ptr) : 0;
    uint32_t number = 0;

    if (at == 0 || !str_starts(str_cut(address, at, address.len), file))
        return address;
    for (size_t i = at + file.len; i < address.len; i++) {
        if (!text_is_digit(address.ptr[i]) || number > UINT16_MAX)
            return address;
        number = number * 10 + (uint32_t)(address.ptr[i] - '0');
    }
    if (number == 0 || number > UINT16_MAX)
        return address;
    *port = number;
    return str_cut(address, 0, at);
}

/* Where the database listens, and its port in |port| (0: unknown). */
static str
database_address(const struct attr_set *attrs, uint32_t *port)
{
    static const enum attr urls[] = {ATTR_URL_FULL, ATTR_HTTP_URL, ATTR_COUNT};
    static const struct {
        enum attr address;
        enum attr port;
        bool by_digits;
    } from[] = {
        {ATTR_SERVER_ADDRESS, ATTR_SERVER_PORT, false},
        {ATTR_NET_PEER_NAME, ATTR_NET_PEER_PORT, false},
        {ATTR_HTTP_HOST, ATTR_COUNT, false},
        {ATTR_COUNT, ATTR_COUNT, false}, /* the host of a URL */
        {ATTR_NETWORK_PEER_ADDRESS, ATTR_NETWORK_PEER_PORT, true},
        {ATTR_NET_SOCK_PEER_ADDR, ATTR_NET_SOCK_PEER_PORT, true},
        {ATTR_NET_PEER_IP, ATTR_NET_PEER_PORT, true},
    };

    for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++) {
        str address = from[i].address < ATTR_COUNT
                          ? attr_str(attrs, from[i].address)
                          : text_authority(lane_first(attrs, urls));
        bool is_plain = !from[i].by_digits || is_address(address) ||
                        attr_has(attrs, ATTR_R2DBC_CONNECTION);
        if (address.len == 0 || !is_plain)
            continue;
        if (from[i].port < ATTR_COUNT)
            *port = port_of(attrs, from[i].port);
        return without_socket(address, port);
    }
    return (str){NULL, 0};
}

/* Where |system| listens if nobody says otherwise: the conventions let senders
 * leave out that port, and not all do.  0: not known. */
static uint32_t
usual_port(str system)
{
    static const struct {
        str system;
        uint16_t port;
    } ports[] = {
        {STR_INIT("postgresql"), 5432},
        {STR_INIT("mysql"), 3306},
        {STR_INIT("mariadb"), 3306},
        {STR_INIT("redis"), 6379},
        {STR_INIT("mongodb"), 27017},
        {STR_INIT("microsoft.sql_server"), 1433},
        {STR_INIT("mssql"), 1433},
        {STR_INIT("oracle.db"), 1521},
        {STR_INIT("oracle"), 1521},
        {STR_INIT("cassandra"), 9042},
        {STR_INIT("memcached"), 11211},
        {STR_INIT("cockroachdb"), 26257},
        {STR_INIT("couchdb"), 5984},
    };

    for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
        if (system.len == ports[i].system.len &&
            strncasecmp(system.ptr, ports[i].system.ptr, system.len) == 0)
            return ports[i].port;
    return 0;
}

/* An address that says all there is to say: a socket in the file system, a
 * named instance of SQL Server, and what has its port within. */
static bool
is_whole(str address)
{
    return memchr(address.ptr, '/', address.len) ||
           memchr(address.ptr, '\\', address.len) ||
           (memchr(address.ptr, ':', address.len) && !is_address(address)) ||
           (address.ptr[0] == '[' && address.ptr[address.len - 1] != ']');
}

/* The port of an address that was told without one: that to which there was a
 * connection, else where the system usually listens.  Of a system that may
 * listen anywhere none: not all would say it.  Nor behind a URL, whose scheme
 * means another one. */
static uint32_t
port_left_out(const struct attr_set *attrs, str address)
{
    static const enum attr urls[] = {ATTR_URL_FULL, ATTR_HTTP_URL,
                                     ATTR_HTTP_HOST, ATTR_COUNT};
    static const enum attr systems[] = {ATTR_DB_SYSTEM, ATTR_DB_SYSTEM_OLD,
                                        ATTR_COUNT};
    static const enum attr ports[] = {
        ATTR_NETWORK_PEER_PORT, ATTR_NET_SOCK_PEER_PORT, ATTR_NET_PEER_PORT};

    uint32_t usual = usual_port(lane_first(attrs, systems));

    if (!usual || is_whole(address) || lane_first(attrs, urls).len > 0)
        return 0;
    for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
        if (port_of(attrs, ports[i]))
            return port_of(attrs, ports[i]);
    return usual;
}

static void
put_address(struct intake_lane *lane, str address, uint32_t port)
{
    struct buf *out = &lane->text;

    /* Before its colons are looked at: a password is behind one, too. */
    address = lane_join(lane, &lane->more, (str){NULL, 0}, address);
    bool is_v6 = port && address.len > 0 && address.ptr[0] != '[' &&
                 memchr(address.ptr, ':', address.len);

    if (is_v6)
        buf_add_char(out, '[');
    buf_add(out, address);
    if (is_v6)
        buf_add_char(out, ']');
    if (port) {
        buf_add_char(out, ':');
        buf_add_u64(out, port);
    }
}

static uint32_t
intern_text(struct intake_lane *lane, enum node_kind kind)
{
    buf_reset(&lane->more);
    redact_add(&lane->more, buf_str(&lane->text));
    if (lane->text.failed || lane->more.failed) {
        lane->err = ERR_NOMEM;
        return 0;
    }
    return nodes_intern(lane->nodes, kind, 0, buf_str(&lane->more),
                        (str){NULL, 0});
}

/* The name a peer was given, and its namespace. */
static bool
peer_name(const struct attr_set *attrs, struct memo_key *key)
{
    key->a = (str){NULL, 0};
    key->b = attr_str(attrs, ATTR_PEER_NAME);
    if (key->b.len > 0)
        key->a = attr_str(attrs, ATTR_PEER_NAMESPACE);
    else
        key->b = attr_str(attrs, ATTR_PEER_SERVICE);
    return key->b.len > 0;
}

/* Micrometer's spans of R2DBC have the product in place of the peer's name, and
 * as the connection's peer the host that was configured. */
static bool
is_product(const struct attr_set *attrs)
{
    return attr_has(attrs, ATTR_R2DBC_CONNECTION) &&
           str_eq(attr_str(attrs, ATTR_R2DBC_CONNECTION),
                  attr_str(attrs, ATTR_PEER_SERVICE));
}

static void
put_named(struct buf *out, const struct memo_key *key)
{
    buf_add(out, key->a);
    if (key->a.len > 0)
        buf_add_char(out, '/');
    buf_add(out, key->b);
}

static bool
is_number(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!text_is_digit(s.ptr[i]))
            return false;
    return s.len > 0;
}

/* The namespace, or the system; a namespace that is a mere number, as Redis
 * has, says nothing without its system. */
static void
put_namespace(struct intake_lane *lane, const struct attr_set *attrs)
{
    static const enum attr names[] = {ATTR_DB_NAMESPACE,     ATTR_DB_NAME,
                                      ATTR_DB_REDIS_INDEX,   ATTR_DB_ES_CLUSTER,
                                      ATTR_R2DBC_CONNECTION, ATTR_COUNT};
    static const enum attr systems[] = {ATTR_DB_SYSTEM, ATTR_DB_SYSTEM_OLD,
                                        ATTR_COUNT};
    str name = lane_first(attrs, names);
    str system = lane_first(attrs, systems);

    if (name.len == 0 || (is_number(name) && system.len > 0))
        buf_add(&lane->text, system);
    if (is_number(name) && system.len > 0)
        buf_add_char(&lane->text, ':');
    buf_add(&lane->text, name);
}

uint32_t
peer_database(struct intake_lane *lane, const struct attr_set *attrs,
              uint32_t *flags)
{
    struct memo_key key = {.use = MEMO_DATABASE};
    struct memo_value value = {0, 0};

    if (is_product(attrs) || !peer_name(attrs, &key)) {
        key.b = database_address(attrs, &key.owner);
        key.use = key.b.len > 0 ? MEMO_DATABASE : MEMO_NONE;
        if (key.use && key.owner == 0)
            key.owner = port_left_out(attrs, key.b);
    }
    if (key.use && memo_find(lane->memo, &key, &value))
        return value.id;
    buf_reset(&lane->text);
    if (!key.use)
        put_namespace(lane, attrs);
    else if (key.owner)
        put_address(lane, key.b, key.owner);
    else
        put_named(&lane->text, &key);
    if (lane->text.len == 0)
        return 0;
    value.id = intern_text(lane, NODE_DATABASE);
    if (key.use)
        lane_remember(lane, &key, value);
    else if (value.id)
        *flags |= STUB_UNPLACED;
    return value.id;
}

uint32_t
peer_external(struct intake_lane *lane, const struct attr_set *attrs)
{
    struct memo_key key = {.use = MEMO_EXTERNAL};
    struct memo_value value = {0, 0};

    if (!lane_has_any(attrs, ATTR_PEER_NAME, ATTR_PEER_SERVICE) &&
        !attr_has(attrs, ATTR_FAAS_INVOKED_NAME))
        return 0;
    if (!peer_name(attrs, &key))
        key.b = attr_str(attrs, ATTR_FAAS_INVOKED_NAME);
    if (key.b.len == 0)
        return 0;
    if (memo_find(lane->memo, &key, &value))
        return value.id;
    buf_reset(&lane->text);
    put_named(&lane->text, &key);
    value.id = intern_text(lane, NODE_EXTERNAL);
    lane_remember(lane, &key, value);
    return value.id;
}

static str
without_port(str host)
{
    const char *colon = host.len > 0 ? memrchr(host.ptr, ':', host.len) : NULL;

    return colon && !is_address(host)
               ? str_cut(host, 0, (size_t)(colon - host.ptr))
               : host;
}

static uint32_t
intern_lower(struct intake_lane *lane, str name)
{
    /* First: tokens are told by their capitals. */
    name = lane_join(lane, &lane->more, (str){NULL, 0}, name);
    buf_reset(&lane->text);
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (text_is_upper(c))
            c = "abcdefghijklmnopqrstuvwxyz"[c - 'A'];
        buf_add_char(&lane->text, c);
    }
    return intern_text(lane, NODE_EXTERNAL);
}

/* The host, which is never an address of digits. */
static uint32_t
by_host(struct intake_lane *lane, const struct attr_set *attrs)
{
    static const enum attr names[] = {ATTR_SERVER_ADDRESS, ATTR_NET_PEER_NAME,
                                      ATTR_HTTP_HOST, ATTR_COUNT};
    static const enum attr urls[] = {ATTR_URL_FULL, ATTR_HTTP_URL, ATTR_COUNT};
    str host = without_port(lane_first(attrs, names));

    if (host.len == 0)
        host = text_host(lane_first(attrs, urls));
    return host.len > 0 && !is_address(host) ? intern_lower(lane, host) : 0;
}

/* An agent that is not told to be another's runs in its caller, as does what it
 * uses: it is around the calls of its models, of which each is one. */
static bool
is_agent(const struct attr_set *attrs)
{
    static const str frames[] = {STR_INIT("invoke_agent"),
                                 STR_INIT("invoke_workflow"),
                                 STR_INIT("execute_tool")};
    str operation = attr_str(attrs, ATTR_GEN_AI_OPERATION);

    for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
        if (str_eq(operation, frames[i]))
            return true;
    return false;
}

static bool
is_of_model(const struct attr_set *attrs)
{
    return attr_has(attrs, ATTR_GEN_AI_PROVIDER) ||
           attr_has(attrs, ATTR_GEN_AI_SYSTEM);
}

/* Whose model is asked. */
static uint32_t
by_provider(struct intake_lane *lane, const struct attr_set *attrs)
{
    struct memo_key key = {.use = MEMO_MODEL};
    struct memo_value value = {0, 0};

    key.b = lane_either(attrs, ATTR_GEN_AI_PROVIDER, ATTR_GEN_AI_SYSTEM);
    if (key.b.len == 0 || memo_find(lane->memo, &key, &value))
        return value.id;
    value.id = intern_lower(lane, key.b);
    lane_remember(lane, &key, value);
    return value.id;
}

void
peer_outside(struct intake_lane *lane, const struct attr_set *attrs,
             struct stub *stub)
{
    bool asks_model = !attr_has(attrs, ATTR_MCP_METHOD);

    if (asks_model && is_agent(attrs)) {
        stub->flags &= ~STUB_EGRESS;
        return;
    }
    if (lane->cfg->external_by_address)
        stub->peer = by_host(lane, attrs);
    if (!stub->peer && asks_model)
        stub->peer = by_provider(lane, attrs);
    if (stub->peer && asks_model && is_of_model(attrs) && peer_is_above(lane))
        stub->flags |= STUB_ABOVE;
}
