#include "api/host.h"

#include <string.h>
#include <strings.h>

/* The name in a Host header, without port and brackets. */
static str
host_name(str host)
{
    const char *end;

    if (host.len && host.ptr[0] == '[') {
        end = memchr(host.ptr, ']', host.len);
        return end ? str_cut(host, 1, (size_t)(end - host.ptr)) : host;
    }
    end = host.len ? memchr(host.ptr, ':', host.len) : NULL;
    return end ? str_cut(host, 0, (size_t)(end - host.ptr)) : host;
}

static bool
is_name(str host, const char *name)
{
    return host.len == strlen(name) &&
           strncasecmp(host.ptr, name, host.len) == 0;
}

/* Probes call a pod by its address: a literal IP cannot be rebound.  That of no
 * machine is how a page in a browser reaches this one. */
static bool
is_address(str host)
{
    bool digits = host.len > 0;

    if (is_name(host, "0.0.0.0") || is_name(host, "0") || is_name(host, "::"))
        return false;
    for (size_t i = 0; i < host.len; i++) {
        if (host.ptr[i] == ':')
            return true;
        if (!strchr("0123456789.", host.ptr[i]))
            digits = false;
    }
    return digits;
}

bool
host_is_known(str header, const char *const *allowed, size_t len)
{
    str host = host_name(header);

    if (host.len == 0 || is_address(host) || is_name(host, "localhost"))
        return true;
    for (size_t i = 0; i < len; i++) {
        if (is_name(host, allowed[i]) || is_name(header, allowed[i]))
            return true;
    }
    return false;
}

/* An address of this machine alone, whose pages are its user's. */
static bool
is_loopback(str host)
{
    return is_name(host, "localhost") || is_name(host, "127.0.0.1") ||
           is_name(host, "::1");
}

static bool
eq_nocase(str a, str b)
{
    return a.len == b.len && a.len && strncasecmp(a.ptr, b.ptr, a.len) == 0;
}

bool
host_knows_page(str origin, str host, const struct host_pages *pages)
{
    size_t scheme = str_starts(origin, STR("http://"))    ? 7
                    : str_starts(origin, STR("https://")) ? 8
                                                          : 0;
    str page = str_cut(origin, scheme, origin.len);
    str name = host_name(page);

    if (origin.len == 0)
        return true;
    for (size_t i = 0; i < pages->origin_len; i++)
        if (is_name(origin, pages->origins[i]))
            return true;
    if (!scheme || name.len == 0)
        return false;
    if (eq_nocase(page, host) || is_loopback(name))
        return true;
    return !is_address(name) &&
           host_is_known(page, pages->hosts, pages->host_len);
}
