/*
 * Numbers are as this machine has them: both ends are one program.  The reader
 * moves what is left to the front only when it has to make room, so a large
 * frame is not moved again with each piece of it.
 */
#include "index/frame.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { HEAD = 9, READ_BYTES = 1 << 18 };

static enum err
write_all(int fd, str head, str payload)
{
    while (head.len + payload.len > 0) {
        struct iovec parts[2] = {{NULL, head.len}, {NULL, payload.len}};

        /* writev reads only, but its struct is that of readv, too. */
        memcpy(&parts[0].iov_base, &head.ptr, sizeof(head.ptr));
        memcpy(&parts[1].iov_base, &payload.ptr, sizeof(payload.ptr));
        ssize_t got = writev(fd, parts, 2);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ERR_IO;
        size_t done = (size_t)got < head.len ? (size_t)got : head.len;
        head = str_cut(head, done, head.len);
        payload = str_cut(payload, (size_t)got - done, payload.len);
    }
    return OK;
}

enum err
frame_write(int fd, const struct frame *frame)
{
    unsigned char head[HEAD] = {frame->kind};
    uint32_t len = (uint32_t)frame->payload.len;

    if (frame->payload.len > FRAME_MAX)
        return ERR_TOO_LARGE;
    memcpy(head + 1, &frame->number, sizeof(frame->number));
    memcpy(head + 5, &len, sizeof(len));
    return write_all(fd, (str){(const char *)head, sizeof(head)},
                     frame->payload);
}

void
frame_reader_fini(struct frame_reader *reader)
{
    buf_fini(&reader->bytes);
    *reader = (struct frame_reader){0};
}

enum err
frame_fill(struct frame_reader *reader, int fd)
{
    if (reader->at == reader->bytes.len) {
        reader->at = reader->bytes.len = 0;
    } else if (reader->bytes.cap - reader->bytes.len < READ_BYTES) {
        memmove(reader->bytes.ptr, reader->bytes.ptr + reader->at,
                reader->bytes.len - reader->at);
        reader->bytes.len -= reader->at;
        reader->at = 0;
    }
    char *to = buf_grow(&reader->bytes, READ_BYTES);
    if (!to)
        return ERR_NOMEM;
    ssize_t got = read(fd, to, READ_BYTES);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN ? OK : ERR_IO;
    reader->is_over = got == 0;
    reader->bytes.len += (size_t)got;
    return OK;
}

bool
frame_next(struct frame_reader *reader, struct frame *out, enum err *err)
{
    size_t left = reader->bytes.len - reader->at;
    uint32_t len;

    *err = OK;
    if (left < HEAD)
        return false;
    const char *at = reader->bytes.ptr + reader->at;
    memcpy(&out->number, at + 1, sizeof(out->number));
    memcpy(&len, at + 5, sizeof(len));
    if (len > (reader->max ? reader->max : FRAME_MAX)) {
        *err = ERR_CORRUPT;
        return false;
    }
    if (left < HEAD + (size_t)len)
        return false;
    out->kind = (uint8_t)at[0];
    out->payload = (str){at + HEAD, len};
    reader->at += HEAD + (size_t)len;
    return true;
}
