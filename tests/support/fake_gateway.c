#include "tests/support/fake_gateway.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* False: it is to stop, or |ms| (-1: none) are over. */
static bool
wait_for(const struct fake_gateway *gateway, int fd, int ms)
{
    struct pollfd fds[2] = {{.fd = gateway->stop_fd, .events = POLLIN},
                            {.fd = fd, .events = POLLIN}};

    return poll(fds, 2, ms) > 0 && !fds[0].revents;
}

/* Reads one request, or no more of it than its head came with; false at the end
 * of the connection. */
static bool
read_request(const struct fake_gateway *gateway, int fd, bool is_whole_read,
             struct fake_got *out)
{
    struct buf all = {0};
    size_t need = SIZE_MAX;
    size_t head = 0;

    while (all.len < need && wait_for(gateway, fd, -1)) {
        char *to = buf_grow(&all, 1 << 16);
        ssize_t got = to ? recv(fd, to, 1 << 16, 0) : -1;
        if (got <= 0)
            break;
        all.len += (size_t)got;
        const char *end = memmem(all.ptr, all.len, "\r\n\r\n", 4);
        if (!end || head)
            continue;
        head = (size_t)(end - all.ptr) + 4;
        const char *length = strcasestr(buf_cstr(&all), "\r\ncontent-length:");
        need = head;
        if (length && is_whole_read)
            need += strtoull(length + 17, NULL, 10);
    }
    bool is_whole = head && all.len >= need;
    if (is_whole) {
        buf_add(&out->head, str_cut(buf_str(&all), 0, head));
        buf_add(&out->body, str_cut(buf_str(&all), head, need));
    }
    buf_fini(&all);
    return is_whole;
}

static void
say(int fd, str text)
{
    while (text.len) {
        ssize_t sent = send(fd, text.ptr, text.len, MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        text = str_cut(text, (size_t)sent, text.len);
    }
}

/* False: the connection is to be closed. */
static bool
act(const struct fake_gateway *gateway, int fd, const struct fake_step *step)
{
    struct buf out = {0};

    if (step->act == FAKE_LATE)
        (void)wait_for(gateway, -1, (int)step->ms);
    buf_printf(&out, "HTTP/1.1 %d Said\r\nContent-Length: %zu\r\n%s\r\n",
               step->status ? step->status : 200, step->body.len,
               step->headers ? step->headers : "");
    buf_add(&out, step->body);
    if (step->act == FAKE_NOISE)
        say(fd, step->body);
    else if (step->act != FAKE_HANG_UP && step->act != FAKE_DIE)
        say(fd, str_cut(buf_str(&out), 0,
                        step->act == FAKE_CUT ? out.len / 2 : out.len));
    buf_fini(&out);
    return step->act == FAKE_ANSWER || step->act == FAKE_LATE;
}

static void
serve(struct fake_gateway *gateway, int fd)
{
    const struct fake_step usual = {.act = FAKE_ANSWER};
    struct fake_step step;
    bool goes_on = true;

    while (goes_on) {
        struct fake_got got = {{0}, {0}};
        size_t at = gateway->got_len; /* of this thread alone to change */
        step = at < gateway->step_len ? gateway->steps[at] : usual;
        if (!read_request(gateway, fd, step.act != FAKE_EARLY, &got))
            return;
        pthread_mutex_lock(&gateway->lock);
        if (at == FAKE_GOT_MAX)
            abort();
        gateway->got[at] = got;
        gateway->got_len++;
        pthread_mutex_unlock(&gateway->lock);
        if (step.act == FAKE_DIE) {
            close(gateway->listener);
            gateway->listener = -1;
        }
        goes_on = act(gateway, fd, &step);
    }
}

static void *
run(void *ctx)
{
    struct fake_gateway *gateway = ctx;

    while (wait_for(gateway, gateway->listener, -1)) {
        int fd = accept(gateway->listener, NULL, NULL);
        if (fd < 0)
            continue;
        pthread_mutex_lock(&gateway->lock);
        gateway->connections++;
        pthread_mutex_unlock(&gateway->lock);
        serve(gateway, fd);
        close(fd);
    }
    return NULL;
}

void
fake_gateway_start(struct fake_gateway *gateway, const struct fake_step *steps,
                   size_t len, uint16_t port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t at_len = sizeof(at);
    const int yes = 1;

    *gateway = (struct fake_gateway){.steps = steps, .step_len = len};
    pthread_mutex_init(&gateway->lock, NULL);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    gateway->stop_fd = eventfd(0, EFD_CLOEXEC);
    gateway->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)setsockopt(gateway->listener, SOL_SOCKET, SO_REUSEADDR, &yes,
                     sizeof(yes));
    if (bind(gateway->listener, (struct sockaddr *)&at, sizeof(at)) ||
        listen(gateway->listener, 16) ||
        getsockname(gateway->listener, (struct sockaddr *)&at, &at_len) ||
        pthread_create(&gateway->thread, NULL, run, gateway))
        abort();
    gateway->port = ntohs(at.sin_port);
    (void)snprintf(gateway->url, sizeof(gateway->url), "http://127.0.0.1:%u",
                   gateway->port);
}

void
fake_gateway_stop(struct fake_gateway *gateway)
{
    const uint64_t one = 1;

    if (write(gateway->stop_fd, &one, sizeof(one)) < 0)
        abort();
    pthread_join(gateway->thread, NULL);
    if (gateway->listener >= 0)
        close(gateway->listener);
    close(gateway->stop_fd);
    for (size_t i = 0; i < gateway->got_len; i++) {
        buf_fini(&gateway->got[i].head);
        buf_fini(&gateway->got[i].body);
    }
    pthread_mutex_destroy(&gateway->lock);
}

size_t
fake_gateway_got(struct fake_gateway *gateway)
{
    size_t len;

    pthread_mutex_lock(&gateway->lock);
    len = gateway->got_len;
    pthread_mutex_unlock(&gateway->lock);
    return len;
}

bool
fake_gateway_wait(struct fake_gateway *gateway, size_t count)
{
    for (int i = 0; i < 1000; i++) {
        if (fake_gateway_got(gateway) >= count)
            return true;
        (void)poll(NULL, 0, 5);
    }
    return false;
}
