/*
 * Plain ANSI: the second screen (1049), a hidden cursor (25), and updates that
 * a terminal that knows it shows at once (2026).  A frame begins at the corner
 * and clears what is left of each line and of the screen, so nothing flickers:
 * no cell is blank in between.
 */
#include "cmd/term.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const char enter[] = "\033[?1049h\033[?25l\033[2J";
static const char leave[] = "\033[?25h\033[?1049l";

static void
write_all(str bytes)
{
    while (bytes.len) {
        ssize_t done = write(STDOUT_FILENO, bytes.ptr, bytes.len);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return; /* the terminal is gone; term_wait will say so */
        bytes = str_cut(bytes, (size_t)done, bytes.len);
    }
}

bool
term_is_there(void)
{
    const char *name = getenv("TERM");

    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && name && *name &&
           strcmp(name, "dumb") != 0;
}

static void
read_size(struct term *term)
{
    struct winsize size = {0};

    term->rows = TERM_ROWS;
    term->columns = TERM_COLUMNS;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row &&
        size.ws_col) {
        term->rows = size.ws_row;
        term->columns = size.ws_col;
    }
}

static void
take_over(struct term *term)
{
    struct termios raw = term->before;

    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    write_all(str_of(enter));
    read_size(term);
}

static void
give_back(struct term *term)
{
    write_all(str_of(leave));
    (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &term->before);
}

/*
 * A process in the background is stopped here until it is in the foreground;
 * with the signals as they were, so that it can still be ended meanwhile.
 */
static void
wait_for_foreground(struct term *term)
{
    sigset_t ours;

    (void)pthread_sigmask(SIG_SETMASK, &term->signals_before, &ours);
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &term->before);
    (void)pthread_sigmask(SIG_SETMASK, &ours, NULL);
}

enum err
term_open(struct term *term)
{
    static const int numbers[] = {SIGINT,  SIGTERM,  SIGHUP,
                                  SIGQUIT, SIGWINCH, SIGTSTP};
    sigset_t set;

    *term = (struct term){.signals = -1};
    if (tcgetattr(STDIN_FILENO, &term->before) != 0)
        return ERR_IO;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sigaddset(&set, numbers[i]);
    (void)pthread_sigmask(SIG_BLOCK, &set, &term->signals_before);
    term->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (term->signals < 0) {
        (void)pthread_sigmask(SIG_SETMASK, &term->signals_before, NULL);
        return ERR_IO;
    }
    wait_for_foreground(term);
    take_over(term);
    term->is_open = true;
    return OK;
}

void
term_close(struct term *term)
{
    if (!term->is_open)
        return;
    give_back(term);
    close(term->signals);
    (void)pthread_sigmask(SIG_SETMASK, &term->signals_before, NULL);
    term->is_open = false;
}

static enum term_event
take_signal(struct term *term)
{
    struct signalfd_siginfo info;

    if (read(term->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
        return TERM_TIMEOUT;
    switch (info.ssi_signo) {
    case SIGTSTP:
        give_back(term);
        (void)raise(SIGSTOP);
        wait_for_foreground(term);
        take_over(term);
        return TERM_RESIZED;
    case SIGWINCH:
        read_size(term);
        return TERM_RESIZED;
    default:
        return TERM_END;
    }
}

enum term_event
term_wait(struct term *term, int timeout_ms, int fd, char *keys, size_t *len)
{
    struct pollfd set[] = {
        {STDIN_FILENO, POLLIN, 0}, {term->signals, POLLIN, 0}, {fd, POLLIN, 0}};
    ssize_t got;

    *len = 0;
    if (poll(set, 3, timeout_ms) <= 0)
        return TERM_TIMEOUT;
    if (set[1].revents)
        return take_signal(term);
    if (set[0].revents) {
        got = read(STDIN_FILENO, keys, TERM_KEY_CAP);
        *len = got > 0 ? (size_t)got : 0;
        return got > 0 || (got < 0 && errno == EINTR) ? TERM_KEYS : TERM_END;
    }
    return set[2].revents ? TERM_READY : TERM_TIMEOUT;
}

size_t
term_key_len(const char *keys, size_t len)
{
    size_t key = 1;

    if (len > 2 && keys[0] == '\033' && (keys[1] == '[' || keys[1] == 'O')) {
        key = 2;
        while (key < len && (keys[key] < '@' || keys[key] > '~'))
            key++;
        return key < len ? key + 1 : len;
    }
    while ((keys[0] & 0xc0) == 0xc0 && key < len && (keys[key] & 0xc0) == 0x80)
        key++;
    return key;
}

void
term_draw(str frame)
{
    struct buf out = {0};

    buf_add(&out, STR("\033[?2026h\033[H"));
    buf_add(&out, frame);
    buf_add(&out, STR("\033[K\033[J\033[?2026l"));
    if (!out.failed)
        write_all(buf_str(&out));
    buf_fini(&out);
}
