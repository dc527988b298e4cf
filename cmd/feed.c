/*
 * A reader of each form looks for the end of the request at the start of the
 * window, asks for more bytes when it is not there, and cuts it off when it is.
 * |seen| is how far it has looked, so that each byte is looked at once however
 * small the pieces are that come.
 */
#include "cmd/feed.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/feed_form.h"
#include "net/inflate.h"
#include "net/unpack.h"

struct feed {
    const struct feed_io *io;
    struct feed_fault *fault;
    struct window *window;
    struct inflater *inflater; /* NULL until a frame needs it */
    size_t request_max;
    size_t seen; /* bytes of the request under way that were looked at */
};

/* A JSON object while its end is looked for. */
struct object {
    size_t depth;
    bool is_string;
    bool is_escaped;
};

static str
pending(const struct feed *feed)
{
    return window_bytes(feed->window);
}

static bool
is_end(const struct feed *feed)
{
    return window_is_end(feed->window);
}

/* Cuts off |len| bytes. */
static void
pass(struct feed *feed, size_t len)
{
    window_pass(feed->window, len);
    feed->seen = 0;
}

/* There is no going on from here. */
static enum err
fail(struct feed *feed, const char *what)
{
    feed->fault->what = what;
    return ERR_INVALID;
}

/* Hands on |len| bytes as a request. */
static enum err
hand_on(struct feed *feed, size_t len, bool is_json)
{
    const struct feed_request request = {
        .bytes = str_cut(pending(feed), 0, len),
        .at_bytes = window_at(feed->window),
        .is_json = is_json,
        .is_at_end = is_end(feed) && len == pending(feed).len,
    };

    if (len > feed->request_max)
        return ERR_TOO_LARGE;

    enum err err = feed->io->take(feed->io->ctx, &request);
    pass(feed, len);
    return err;
}

/* Reads until a newline is in what is pending, and says how many bytes are
 * before it; all of them at the end of the stream. */
static enum err
await_line(struct feed *feed, size_t *len)
{
    for (;;) {
        str rest = str_cut(pending(feed), feed->seen, pending(feed).len);
        const char *end = rest.len ? memchr(rest.ptr, '\n', rest.len) : NULL;
        *len = feed->seen + (end ? (size_t)(end - rest.ptr) : rest.len);
        if (end || is_end(feed))
            return OK;
        feed->seen = *len;

        enum err err = window_more(feed->window);
        if (err)
            return err;
    }
}

/* Passes what is blank; |first| is what comes then, 0 at the end. */
static enum err
pass_blanks(struct feed *feed, char *first)
{
    for (;;) {
        str rest = pending(feed);
        size_t len = 0;
        while (len < rest.len && feed_is_blank(rest.ptr[len]))
            len++;
        pass(feed, len);
        *first = '\0';
        if (len < rest.len)
            *first = rest.ptr[len];
        if (len < rest.len || is_end(feed))
            return OK;

        enum err err = window_more(feed->window);
        if (err)
            return err;
    }
}

/* Looks at |c|; true: the object ends with it. */
static bool
is_last(struct object *object, char c)
{
    if (object->is_string) {
        object->is_string = c != '"' || object->is_escaped;
        object->is_escaped = c == '\\' && !object->is_escaped;
        return false;
    }
    object->is_string = c == '"';
    if (c == '{')
        object->depth++;
    return c == '}' && --object->depth == 0;
}

/* Finds the end of the object at the start of |text| from |*seen| on. */
static bool
find_end(struct object *object, str text, size_t *seen)
{
    while (*seen < text.len)
        if (is_last(object, text.ptr[(*seen)++]))
            return true;
    return false;
}

/* A line is there without its newline if an object is in it. */
static bool
has_object(const struct feed *feed, size_t len)
{
    struct object object = {0};
    size_t seen = 0;

    return find_end(&object, str_cut(pending(feed), 0, len), &seen);
}

/* What does not decompress costs no line before it. */
static enum err
take_lines(struct feed *feed)
{
    enum err err;
    size_t len = 0;
    char first;

    while (!(err = pass_blanks(feed, &first)) && pending(feed).len) {
        enum err ended = await_line(feed, &len);
        if (ended && (ended != ERR_INVALID || !has_object(feed, len)))
            return ended;
        if ((err = hand_on(feed, len, true)) || (err = ended))
            return err;
    }
    return err;
}

/* What never ends is handed on too: the decoder says what is wrong with it. */
static enum err
take_object(struct feed *feed)
{
    struct object object = {0};
    enum err err = OK;

    while (!find_end(&object, pending(feed), &feed->seen) && !is_end(feed) &&
           !err)
        err = window_more(feed->window);
    return err ? err : hand_on(feed, feed->seen, true);
}

static enum err
take_objects(struct feed *feed)
{
    char first = '\0';
    enum err err;

    while (!(err = pass_blanks(feed, &first)) && first == '{')
        if ((err = take_object(feed)))
            return err;
    if (!err && pending(feed).len)
        err = fail(feed, "neither an object nor the end");
    return err;
}

/* [ object , object ... ] and nothing behind it */
static enum err
take_array(struct feed *feed)
{
    char first = '\0';
    enum err err;

    pass(feed, 1);
    err = pass_blanks(feed, &first);
    while (!err && first == '{') {
        if ((err = take_object(feed)) || (err = pass_blanks(feed, &first)) ||
            first != ',')
            break;
        pass(feed, 1);
        err = pass_blanks(feed, &first);
        if (!err && first != '{')
            return fail(feed, "no object behind the comma");
    }
    if (err)
        return err;
    if (first != ']')
        return fail(feed, "neither a comma nor the end of the array");
    pass(feed, 1);
    err = pass_blanks(feed, &first);
    if (!err && pending(feed).len)
        err = fail(feed, "something is behind the array");
    return err;
}

/* Waits for what is not blank at |at| or behind it, or for a newline if that is
 * |enough|; '\0' at the end of the stream. */
static enum err
await_char(struct feed *feed, size_t at, bool enough, char *out)
{
    for (;; at++) {
        enum err err = window_await(feed->window, at + 1);
        str text = pending(feed);
        *out = '\0';
        if (!err && at < text.len)
            *out = text.ptr[at];
        if (err || !feed_is_blank(*out) || (enough && *out == '\n'))
            return err;
    }
}

/* Waits for the first line to end, or the object in it, whichever is first;
 * |is_cut|: the line ends within a string. */
static enum err
await_first_end(struct feed *feed, size_t *len, bool *is_whole, bool *is_cut)
{
    struct object object = {0};
    enum err err = OK;

    *len = 0;
    *is_whole = false;
    for (;;) {
        str text = pending(feed);
        while (*len < text.len && text.ptr[*len] != '\n' && !*is_whole)
            *is_whole = is_last(&object, text.ptr[(*len)++]);
        *is_cut = object.is_string;
        if (err || *is_whole || *len < text.len || is_end(feed))
            return err;
        err = window_more(feed->window);
    }
}

/*
 * Lines have a whole object in the first one and nothing else; or, should that
 * line be broken, what no object has inside: a string that does not end with
 * its line, or something that ends like an object before something that begins
 * like one.
 */
static enum err
has_lines(struct feed *feed, bool *out)
{
    bool is_whole = false;
    char next = '\0';
    size_t len = 0;
    enum err err = await_first_end(feed, &len, &is_whole, out);

    if (err || *out)
        return err;

    str line = str_cut(pending(feed), 0, len);
    while (feed_is_blank(line.ptr[line.len - 1]))
        line.len--;
    if (line.ptr[line.len - 1] != '}')
        return OK;
    err = await_char(feed, len, is_whole, &next);
    *out = next == (is_whole ? '\n' : '{');
    return err;
}

static enum err
skip_frame(struct feed *feed, size_t len, const char *what)
{
    feed->io->skip(feed->io->ctx, window_at(feed->window), what);
    pass(feed, len);
    return OK;
}

static enum err
take_packed_frame(struct feed *feed, size_t len)
{
    struct feed_request request = {.at_bytes = window_at(feed->window),
                                   .is_unpacked = true};
    char *plain = NULL;

    if (!feed->inflater && !(feed->inflater = inflater_new_of_file()))
        return ERR_NOMEM;

    enum err err = inflate_whole(feed->inflater, ENCODING_ZSTD,
                                 str_cut(pending(feed), 0, len),
                                 feed->request_max, &plain, &request.bytes.len);
    if (err == ERR_TOO_LARGE)
        return skip_frame(feed, len, "decompresses to more than is taken");
    if (err == ERR_INVALID)
        return skip_frame(feed, len, "does not decompress");
    if (err)
        return err;
    request.bytes.ptr = plain;
    request.is_json = feed_is_json_frame(request.bytes);
    err = feed->io->take(feed->io->ctx, &request);
    pass(feed, len);
    free(plain);
    return err;
}

static enum err
take_frame(struct feed *feed, size_t len)
{
    str content = str_cut(pending(feed), 0, len);

    return unpack_encoding(content) == ENCODING_ZSTD
               ? take_packed_frame(feed, len)
               : hand_on(feed, len, feed_is_json_frame(content));
}

static enum err
take_frames(struct feed *feed)
{
    enum err err;

    while (!(err = window_await(feed->window, FEED_FRAME_HEAD)) &&
           pending(feed).len) {
        if (pending(feed).len < FEED_FRAME_HEAD)
            return fail(feed, FEED_CUT_OFF);

        size_t len = feed_frame_len(pending(feed));
        pass(feed, FEED_FRAME_HEAD);
        if (len > feed->request_max)
            return ERR_TOO_LARGE;
        if ((err = window_await(feed->window, len)))
            return err;
        if (pending(feed).len < len)
            return fail(feed, FEED_CUT_OFF);
        if ((err = take_frame(feed, len)))
            return err;
    }
    return err;
}

static enum err
take_message(struct feed *feed)
{
    enum err err = OK;

    while (!err && !is_end(feed))
        err = window_more(feed->window);
    return err ? err : hand_on(feed, pending(feed).len, false);
}

static enum err
take_text(struct feed *feed)
{
    char first = '\0';
    bool is_lines = false;
    enum err err = pass_blanks(feed, &first);

    if (err || !pending(feed).len)
        return err;
    if (first == '[')
        return take_array(feed);
    if (first == '{' && (err = has_lines(feed, &is_lines)))
        return err;
    return is_lines ? take_lines(feed) : take_objects(feed);
}

static enum err
await_form(struct feed *feed)
{
    size_t wanted;
    enum err err = OK;

    while (!err && (wanted = feed_form_bytes(pending(feed))) && !is_end(feed))
        err = window_await(feed->window, wanted);
    return err;
}

/* Windows puts a mark of the encoding before a text. */
static enum err
take_mark(struct feed *feed)
{
    const str utf8 = STR("\xef\xbb\xbf");
    str bytes = pending(feed);

    if (str_starts(bytes, STR("\xff\xfe")) ||
        str_starts(bytes, STR("\xfe\xff")))
        return fail(feed, "text in UTF-16: write it as UTF-8");
    if (!str_starts(bytes, utf8))
        return OK;
    pass(feed, utf8.len);
    return await_form(feed);
}

static enum err
take_stream(struct feed *feed)
{
    enum err err = await_form(feed);

    if (err || (err = take_mark(feed)))
        return err;
    switch (feed_form_of(pending(feed))) {
    case FEED_TEXT:
        return take_text(feed);
    case FEED_FRAMES:
        return take_frames(feed);
    case FEED_MESSAGE:
        break;
    }
    return take_message(feed);
}

enum err
feed_run(const struct feed_io *io, size_t request_max, struct feed_fault *fault)
{
    struct feed feed = {.io = io, .fault = fault, .request_max = request_max};
    enum err err = window_open(&feed.window, io->read, io->ctx, request_max);

    *fault = (struct feed_fault){0};
    if (!err)
        err = take_stream(&feed);
    if (feed.window)
        fault->at_bytes = window_at(feed.window);
    /* Who sees more wrong than the window does says what. */
    if (!fault->what)
        fault->what = feed.window && window_is_cut(feed.window)
                          ? FEED_CUT_OFF
                          : "does not decompress";
    inflater_free(feed.inflater);
    window_close(feed.window);
    return err;
}
