/*
 * Files by landlock: the data directory whole; what the configuration names
 * by its folder, since certificates and tokens are renewed by renaming; what
 * the C library and OpenSSL read of the system.  TCP connections out by
 * landlock too, where the kernel knows that: none, but to the ports of what the
 * configuration names - a sidecar's gateway, where spans of its own go, the
 * endpoint of vectors - and then to that of name servers.
 */
#include "cmd/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "base/metrics.h"
#include "cmd/confine_calls.h"
#include "cmd/self_trace.h"
#include "net/client.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { IS_WATCHED = 1 };
#else
enum { IS_WATCHED = 0 };
#endif

static const struct {
    const char *name;
    enum metric metric;
} parts_of[CONFINE_PARTS] = {
    {"no_new_privs", METRIC_HARDENING_NO_NEW_PRIVS},
    {"undumpable", METRIC_HARDENING_UNDUMPABLE},
    {"no_core", METRIC_HARDENING_NO_CORE},
    {"landlock", METRIC_HARDENING_LANDLOCK},
    {"seccomp", METRIC_HARDENING_SECCOMP},
};

/* ---- files and connections ---- */

/* As of version 6 of the interface; headers may be older than the kernel. */
struct ruleset {
    uint64_t files;
    uint64_t net;
    uint64_t scoped;
};
struct port_rule {
    uint64_t access;
    uint64_t port;
};
enum {
    RULE_NET_PORT = 2,
    NET_CONNECT = 2,
    SCOPE_ALL = 3, /* abstract sockets, signals */
    FILES_V1 = (1 << 13) - 1,
    FILES_REFER = 1 << 13,
    FILES_TRUNCATE = 1 << 14,
    FILES_DEVICE = 1 << 15,
};

enum {
    MAY_READ = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
    MAY_RUN = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE,
    MAY_WRITE = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                FILES_TRUNCATE,
    MAY_OWN = MAY_READ | MAY_WRITE | FILES_REFER |
              LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
              LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
              LANDLOCK_ACCESS_FS_MAKE_SOCK,
    MAY_LISTEN = LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_REMOVE_FILE,
    FOR_FILES = LANDLOCK_ACCESS_FS_EXECUTE | MAY_WRITE | FILES_DEVICE,
};

struct rules {
    int fd;
    uint64_t handled;
    bool has_net;
};

/* What is not there needs no rule. */
static bool
allow(const struct rules *rules, const char *path, uint64_t rights)
{
    struct landlock_path_beneath_attr below = {0};
    struct stat st;
    long got = -1;

    below.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (below.parent_fd < 0)
        return errno == ENOENT || errno == EACCES || errno == ENOTDIR;
    if (fstat(below.parent_fd, &st) == 0) {
        below.allowed_access = rights & rules->handled;
        if (!S_ISDIR(st.st_mode))
            below.allowed_access &= FOR_FILES;
        got = syscall(SYS_landlock_add_rule, rules->fd,
                      LANDLOCK_RULE_PATH_BENEATH, &below, 0);
    }
    close(below.parent_fd);
    return got == 0;
}

/* The folder that holds |file|, and the one it is in if it is a link. */
static bool
allow_folder_of(const struct rules *rules, const char *file, uint64_t rights)
{
    char path[PATH_MAX];
    char real[PATH_MAX];

    if (!file || !*file)
        return true;
    if ((size_t)snprintf(path, sizeof(path), "%s", file) >= sizeof(path))
        return false;
    bool done = true;
    if (realpath(path, real))
        done = allow(rules, dirname(real), rights);
    return done && allow(rules, dirname(path), rights);
}

static bool
allow_listener(const struct rules *rules, const struct config_listener *cfg)
{
    static const char unix_prefix[] = "unix:";
    const char *at = cfg->endpoint;

    if (!cfg->enabled)
        return true;
    if (strncmp(at, unix_prefix, sizeof(unix_prefix) - 1) == 0 &&
        !allow_folder_of(rules, at + sizeof(unix_prefix) - 1, MAY_LISTEN))
        return false;
    return allow_folder_of(rules, cfg->tls.cert_file, MAY_READ) &&
           allow_folder_of(rules, cfg->tls.key_file, MAY_READ) &&
           allow_folder_of(rules, cfg->tls.client_ca_file, MAY_READ);
}

static bool
allow_port(const struct rules *rules, uint64_t port)
{
    const struct port_rule rule = {.access = NET_CONNECT, .port = port};

    return syscall(SYS_landlock_add_rule, rules->fd, RULE_NET_PORT, &rule, 0) ==
           0;
}

enum { DNS_PORT = 53 };

/* A sidecar calls its gateway, and a name server, which may want TCP. */
static bool
allow_gateway(const struct rules *rules, const struct config *cfg)
{
    const struct config_forward *forward = &cfg->forward;
    uint16_t port;

    if (!config_text(forward->endpoint))
        return true;
    bool done = allow_folder_of(rules, forward->tokens_file, MAY_READ) &&
                allow_folder_of(rules, forward->ca_file, MAY_READ) &&
                allow_folder_of(rules, forward->cert_file, MAY_READ) &&
                allow_folder_of(rules, forward->key_file, MAY_READ);
    if (!rules->has_net || client_port(forward->endpoint, &port))
        return done;
    return done && allow_port(rules, port) && allow_port(rules, DNS_PORT);
}

/* The endpoint of vectors, where there is one. */
static bool
allow_ai(const struct rules *rules, const struct config *cfg)
{
    uint16_t port;

    if (!config_text(cfg->ai.base_url))
        return true;
    bool done = allow_folder_of(rules, cfg->ai.api_key_file, MAY_READ) &&
                allow_folder_of(rules, cfg->ai.ca_file, MAY_READ);
    if (!rules->has_net || client_port(cfg->ai.base_url, &port))
        return done;
    return done && allow_port(rules, port) && allow_port(rules, DNS_PORT);
}

/* The same where spans of its own go. */
static bool
allow_self_trace(const struct rules *rules, const struct config *cfg)
{
    struct buf url = {0};
    uint16_t port;
    bool done = true;

    if (!cfg->self_trace.enabled || !rules->has_net)
        return true;
    self_trace_url(cfg, &url);
    if (client_port(buf_cstr(&url), &port) == OK)
        done = allow_port(rules, port) && allow_port(rules, DNS_PORT);
    buf_fini(&url);
    return done;
}

static bool
allow_system(const struct rules *rules)
{
    static const char *const readable[] = {
        "/usr",         "/lib",           "/lib64",
        "/sys/devices", "/sys/fs/cgroup", "/etc/ld.so.cache",
        "/etc/ssl",     "/etc/localtime", "/etc/resolv.conf",
        "/etc/hosts",   "/etc/host.conf", "/etc/nsswitch.conf",
        "/etc/gai.conf"};
    static const char *const writable[] = {"/dev/null", "/dev/urandom",
                                           "/dev/random"};
    bool done = true;

    for (size_t i = 0; i < sizeof(readable) / sizeof(readable[0]); i++)
        done = done && allow(rules, readable[i], MAY_READ);
    for (size_t i = 0; i < sizeof(writable) / sizeof(writable[0]); i++)
        done = done && allow(rules, writable[i], MAY_WRITE);
    return done;
}

/* The indexer is this program again, which its loader starts.  It offers to
 * die first when memory runs out, in /proc; of root's /proc more could be
 * written than that. */
static bool
allow_indexer(const struct rules *rules, const struct config *cfg)
{
    static const char *const loaders[] = {"/lib64/ld-linux-x86-64.so.2",
                                          "/lib/ld-linux-aarch64.so.1"};
    uint64_t proc = geteuid() == 0 ? 0 : LANDLOCK_ACCESS_FS_WRITE_FILE;
    bool done = allow(rules, "/proc", MAY_READ | proc);

    if (cfg->index_paths.len == 0)
        return done;
    done = done && allow(rules, "/proc/self/exe", MAY_RUN);
    for (size_t i = 0; i < sizeof(loaders) / sizeof(loaders[0]); i++)
        done = done && allow(rules, loaders[i], MAY_RUN);
    for (size_t i = 0; i < cfg->index_paths.len; i++)
        done = done && allow(rules, cfg->index_paths.item[i], MAY_READ);
    return done;
}

/* Folders that may be crawled. */
static bool
allow_roots(const struct rules *rules, const struct config *cfg)
{
    bool done = true;

    for (size_t i = 0; i < cfg->roots.len; i++)
        done = done && allow(rules, cfg->roots.item[i], MAY_READ);
    return done;
}

static bool
allow_all(const struct rules *rules, const struct config *cfg)
{
    return allow(rules, cfg->dir, MAY_OWN) &&
           allow_listener(rules, &cfg->grpc) &&
           allow_listener(rules, &cfg->http) &&
           allow_listener(rules, &cfg->query) &&
           allow_listener(rules, &cfg->admin) &&
           allow_folder_of(rules, cfg->file, MAY_READ) &&
           allow_folder_of(rules, cfg->tokens_file, MAY_READ) &&
           allow_folder_of(rules, cfg->query_tokens_file, MAY_READ) &&
           allow_folder_of(rules, cfg->admin_tokens_file, MAY_READ) &&
           allow_gateway(rules, cfg) && allow_self_trace(rules, cfg) &&
           allow_ai(rules, cfg) && allow_system(rules) &&
           allow_roots(rules, cfg) && allow_indexer(rules, cfg);
}

static bool
confine_files(const struct config *cfg)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
                           LANDLOCK_CREATE_RULESET_VERSION);
    struct ruleset attr = {.files = FILES_V1};
    size_t size = sizeof(attr.files);

    if (version < 1)
        return false;
    attr.files |= version >= 2 ? (uint64_t)FILES_REFER : 0;
    attr.files |= version >= 3 ? (uint64_t)FILES_TRUNCATE : 0;
    attr.files |= version >= 5 ? (uint64_t)FILES_DEVICE : 0;
    if (version >= 4) {
        attr.net = NET_CONNECT;
        size += sizeof(attr.net);
    }
    if (version >= 6) {
        attr.scoped = SCOPE_ALL;
        size += sizeof(attr.scoped);
    }
    struct rules rules = {.handled = attr.files, .has_net = version >= 4};
    rules.fd = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
    if (rules.fd < 0)
        return false;
    bool done = allow_all(&rules, cfg) &&
                syscall(SYS_landlock_restrict_self, rules.fd, 0) == 0;
    close(rules.fd);
    return done;
}

/* ---- all of it ---- */

static bool
is_wanted(const struct config *cfg)
{
    return !IS_WATCHED && strcmp(cfg->sandbox, "off") != 0;
}

uint32_t
confine_process(const struct config *cfg)
{
    const struct rlimit none = {0, 0};
    uint32_t parts = 0;

    /* No other folder may be written to, should SQLite want one. */
    (void)setenv("SQLITE_TMPDIR", cfg->dir, 1);
    if (setrlimit(RLIMIT_CORE, &none) == 0)
        parts |= CONFINE_NO_CORE;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0)
        parts |= CONFINE_UNDUMPABLE;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return parts;
    parts |= CONFINE_NO_NEW_PRIVS;
    if (confine_files(cfg))
        parts |= CONFINE_LANDLOCK;
    if (confine_calls(cfg->index_paths.len > 0))
        parts |= CONFINE_SECCOMP;
    return parts;
}

uint32_t
confine_service(const struct config *cfg)
{
    return is_wanted(cfg) ? confine_process(cfg) : 0;
}

void
confine_report(const struct config *cfg, uint32_t parts)
{
    bool wanted = is_wanted(cfg);

    for (uint32_t i = 0; i < CONFINE_PARTS; i++) {
        bool is_active = parts >> i & 1;

        metrics_set(parts_of[i].metric, is_active);
        if (wanted && !is_active)
            log_warn("the kernel does not offer a protection", "feature", "%s",
                     parts_of[i].name);
    }
    if (!wanted)
        log_warn("the service is not confined", "why", "%s",
                 IS_WATCHED ? "this build has a sanitizer"
                            : "service.sandbox is off");
}
