/*
 * Numbers are as this machine has them: both ends are one program.  The reader
 * moves what is left to the front only when it has to make room, so a large
 * frame is not moved again with each piece of it.
 */
#include "index/frame.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { HEAD = 9, READ_BYTES = 1 << 18 };

static enum err
write_all(int fd, str bytes)
{
    while (bytes.len > 0) {
        ssize_t got = write(fd, bytes.ptr, bytes.len);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ERR_IO;
        bytes = str_cut(bytes, (size_t)got, bytes.len);
    }
    return OK;
}

enum err
frame_write(int fd, const struct frame *frame)
{
    char head[HEAD] = {(char)frame->kind};
    uint32_t len = (uint32_t)frame->payload.len;

    if (frame->payload.len > FRAME_MAX)
        return ERR_TOO_LARGE;
    memcpy(head + 1, &frame->number, sizeof(frame->number));
    memcpy(head + 5, &len, sizeof(len));
    enum err err = write_all(fd, (str){head, sizeof(head)});
    return err ? err : write_all(fd, frame->payload);
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
