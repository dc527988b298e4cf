/*
 * One question, one answer, by frames.  The answer is checked for its form
 * only: what it says is the page's word anyway.
 */
#include "crawl/reader.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "crawl/charset.h"
#include "crawl/fields.h"
#include "index/sandbox.h"

enum { FRAME_TEXT = 1, FRAME_HTML = 2, FRAME_PAGE = 3, FRAME_ERROR = 4 };
enum {
    DECODED_MAX = 64 << 20,
    ANSWER_MAX = 32 << 20,
    ROOM = 256 << 20, /* besides the tree: the page as it came, and decoded */
};

enum err
reader_work(bool is_html, str type, str bytes, struct html_page *out)
{
    struct buf text = {.cap_max = DECODED_MAX};
    enum err err = charset_decode(bytes, type, &text);

    if (!err && is_html)
        err = html_read(buf_str(&text), out);
    if (!err && !is_html)
        buf_add(&out->text, buf_str(&text));
    if (!err && out->text.failed)
        err = ERR_TOO_LARGE;
    buf_fini(&text);
    return err;
}

/* ---- in the process ---- */

static enum err
answer(int fd, const struct frame *question)
{
    struct html_page page = {0};
    struct buf out = {0};
    str rest = question->payload;
    uint32_t cap;
    str type;
    enum err err = ERR_CORRUPT;

    if (field_next_u32(&rest, &cap) && field_next(&rest, &type)) {
        page.text.cap_max = cap;
        err = reader_work(question->kind == FRAME_HTML, type, rest, &page);
    }
    if (!err) {
        field_add(&out, buf_str(&page.title));
        field_add(&out, buf_str(&page.text));
        field_add(&out, buf_str(&page.base));
        field_add(&out, buf_str(&page.canonical));
        field_add_u32(&out, page.no_index);
        field_add_u32(&out, page.no_follow);
        field_add(&out, buf_str(&page.links));
    }
    const struct frame frame = {
        .kind = err || out.failed ? FRAME_ERROR : FRAME_PAGE,
        .number = (uint32_t) - (err ? err : ERR_NOMEM),
        .payload = err || out.failed ? (str){"", 0} : buf_str(&out),
    };
    err = frame_write(fd, &frame);
    html_page_fini(&page);
    buf_fini(&out);
    return err;
}

_Noreturn static void
child_main(int fd, uint64_t memory_max)
{
    struct frame_reader in = {0};
    struct frame question;
    enum err err = OK;

    (void)prctl(PR_SET_NAME, "crawl-read");
    (void)sandbox_parser(fd, memory_max);
    while (!err && !in.is_over) {
        if (frame_next(&in, &question, &err))
            err = answer(fd, &question);
        else if (!err)
            err = frame_fill(&in, fd);
    }
    _exit(0);
}

/* ---- in the one that asks ---- */

void
reader_init(struct reader *reader, uint64_t patience_ns)
{
    *reader = (struct reader){
        .memory_max = sandbox_used_bytes() + HTML_MEMORY + ROOM,
        .patience_ns = patience_ns,
    };
}

void
reader_fini(struct reader *reader)
{
    int status;

    if (!reader->pid)
        return;
    close(reader->fd);
    (void)kill(reader->pid, SIGKILL);
    while (waitpid(reader->pid, &status, 0) < 0 && errno == EINTR)
        ;
    reader->pid = 0;
    frame_reader_fini(&reader->in);
}

static enum err
start(struct reader *reader)
{
    pid_t self = getpid();
    int ends[2];

    if (reader->pid)
        return OK;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return ERR_IO;
    pid_t pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self)
            _exit(0);
        child_main(ends[1], reader->memory_max);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return ERR_IO;
    }
    reader->pid = pid;
    reader->fd = ends[0];
    reader->in = (struct frame_reader){.max = ANSWER_MAX};
    return OK;
}

/* Waits for a whole frame; ERR_CORRUPT: none came in time. */
static enum err
hear(struct reader *reader, struct frame *out)
{
    uint64_t until = clock_mono_ns() + reader->patience_ns;
    enum err err = OK;

    while (!frame_next(&reader->in, out, &err)) {
        struct pollfd fd = {.fd = reader->fd, .events = POLLIN};
        uint64_t now = clock_mono_ns();

        if (err || now >= until || reader->in.is_over)
            return ERR_CORRUPT;
        int got = poll(&fd, 1, (int)((until - now) / NS_PER_MS) + 1);
        if (got < 0 && errno != EINTR)
            return ERR_CORRUPT;
        if (got > 0 && frame_fill(&reader->in, reader->fd))
            return ERR_CORRUPT;
    }
    return OK;
}

/* Text goes on as text, so it must be some. */
static bool
take_text(str *rest, struct buf *out)
{
    str field;

    if (!field_next(rest, &field) || !utf8_valid(field))
        return false;
    buf_add(out, field);
    return true;
}

static enum err
take_page(str rest, struct html_page *out)
{
    uint32_t no_index;
    uint32_t no_follow;
    str links;

    if (!take_text(&rest, &out->title) || !take_text(&rest, &out->text) ||
        !take_text(&rest, &out->base) || !take_text(&rest, &out->canonical) ||
        !field_next_u32(&rest, &no_index) ||
        !field_next_u32(&rest, &no_follow) || !field_next(&rest, &links))
        return ERR_CORRUPT;
    out->no_index = no_index;
    out->no_follow = no_follow;
    buf_add(&out->links, links);
    return out->text.failed ? ERR_TOO_LARGE : OK;
}

static enum err
take_answer(const struct frame *frame, struct html_page *out)
{
    if (frame->kind == FRAME_PAGE)
        return take_page(frame->payload, out);
    if (frame->number == (uint32_t)-ERR_TOO_LARGE)
        return ERR_TOO_LARGE;
    if (frame->number == (uint32_t)-ERR_UNSUPPORTED)
        return ERR_UNSUPPORTED;
    return ERR_CORRUPT;
}

enum err
reader_read(struct reader *reader, bool is_html, str type, str bytes,
            struct html_page *out)
{
    struct buf question = {0};
    struct frame heard = {0};
    enum err err;

    field_add_u32(&question, (uint32_t)out->text.cap_max);
    field_add(&question, type);
    buf_add(&question, bytes);
    if (question.failed) {
        err = ERR_NOMEM;
        goto out;
    }
    const struct frame frame = {
        .kind = is_html ? FRAME_HTML : FRAME_TEXT,
        .payload = buf_str(&question),
    };
    err = start(reader);
    if (!err)
        err = frame_write(reader->fd, &frame);
    if (!err)
        err = hear(reader, &heard);
    if (!err)
        err = take_answer(&heard, out);
    if (err == ERR_IO)
        err = ERR_CORRUPT;
    if (err == ERR_CORRUPT)
        reader_fini(reader);
out:
    buf_fini(&question);
    return err;
}
