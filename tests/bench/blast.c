/*
 * blast - a load client for the receiver's benchmarks.
 *
 *     blast h1|grpc HOST:PORT PID [json|gzip|plain] [spans] [requests]
 *           [connections] [window] [warm]
 *
 * After |warm| requests that are not measured, sends |requests| batches once,
 * with trace ids of its own, keeps up to |window| of them unanswered on each
 * connection, and prints spans per second of wall time and per CPU second of
 * process PID (all its threads, from the scheduler's accounting) until it has
 * settled, so that what is folded after the answer counts.  Frames are as large
 * as the server takes them (as gRPC core, Java and Rust do it), or as FRAME in
 * the environment, if that is less (Go's are of 16384 bytes, always).
 *
 * With PACE=N in the environment it sends N requests a second instead, each on
 * a connection of its own at that moment (tests/bench/pace.h), and prints in a
 * second line how many milliseconds half of them took at most, 99 %, 99.9 % and
 * all.  With WIDE=N the spans are those of N services with a hundred edges each
 * (tests/bench/wide.h), whatever [spans] says, and not JSON.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <libdeflate.h>

#include "base/clock.h"
#include "tests/bench/blast_conn.h"
#include "tests/bench/pace.h"
#include "tests/bench/wide.h"
#include "tests/support/payload.h"

enum {
    BATCHES = 32,
    NAP_MS = 100,
    WAIT_MS = 20000,
};

struct load {
    struct blast_how how;
    const struct payload *payload;
    str *ready; /* compressed requests, if any */
    size_t spans_per_batch;
    uint32_t first_pass;
    size_t requests; /* the warm ones, too */
    size_t end;      /* of those that are sent now */
    size_t window;
    atomic_size_t next;
    size_t warm; /* requests before the clock starts */
    struct pace pace;
};

struct sender {
    struct load *load;
    struct blast_conn *conn;
    char *body;
};

/* ---- payload ---- */

/* Gives every trace id of a copied batch the number of its pass, in the half
 * that tables are keyed by. */
static void
stamp(char *body, size_t len, bool json, uint32_t pass)
{
    char digits[9];
    char *end = body + len;

    (void)snprintf(digits, sizeof(digits), "%08x", pass);
    for (char *at = body; at < end - 40;) {
        if (json) {
            char *key = memmem(at, (size_t)(end - at), "\"traceId\":\"", 11);
            if (!key)
                return;
            memcpy(key + 35, digits, 8);
            at = key + 43;
        } else {
            char *key = memmem(at, (size_t)(end - at), "\x0a\x10", 2);
            if (!key)
                return;
            at = key + 2;
            if (end - at > 26 && at[16] == 0x12 && at[17] == 8) {
                memcpy(at + 12, &pass, sizeof(pass));
                at += 26;
            }
        }
    }
}

static str
batch_of(const struct load *load, size_t number)
{
    size_t i = number % load->payload->len;

    return load->how.is_json ? load->payload->json[i]
                             : load->payload->batches[i];
}

/* Another one in each process: what was sent before would be known for a retry
 * and not be stored. */
static uint32_t
pass_of(const struct load *load, size_t number)
{
    return load->first_pass + (uint32_t)(number / load->payload->len);
}

static str
take_body(struct sender *sender, size_t number)
{
    struct load *load = sender->load;

    if (load->ready)
        return load->ready[number];
    str batch = batch_of(load, number);
    memcpy(sender->body, batch.ptr, batch.len);
    stamp(sender->body, batch.len, load->how.is_json, pass_of(load, number));
    return (str){sender->body, batch.len};
}

static void
compress_all(struct load *load)
{
    struct libdeflate_compressor *deflate = libdeflate_alloc_compressor(6);
    size_t cap = 0;

    load->ready = calloc(load->requests, sizeof(*load->ready));
    for (size_t i = 0; i < load->payload->len; i++)
        cap = batch_of(load, i).len > cap ? batch_of(load, i).len : cap;
    char *copy = malloc(cap);
    if (!deflate || !load->ready || !copy)
        blast_die("memory");
    for (size_t i = 0; i < load->requests; i++) {
        str batch = batch_of(load, i);
        memcpy(copy, batch.ptr, batch.len);
        stamp(copy, batch.len, load->how.is_json, pass_of(load, i));
        size_t bound = libdeflate_gzip_compress_bound(deflate, batch.len);
        char *out = malloc(bound);
        if (!out)
            blast_die("memory");
        size_t len =
            libdeflate_gzip_compress(deflate, copy, batch.len, out, bound);
        load->ready[i] = (str){realloc(out, len), len};
    }
    free(copy);
    libdeflate_free_compressor(deflate);
}

/* ---- the run ---- */

static void *
drive(void *ctx)
{
    struct sender *sender = ctx;
    struct blast_conn *conn = sender->conn;
    struct load *load = sender->load;

    for (;;) {
        size_t number = atomic_fetch_add(&load->next, 1);
        if (number >= load->end)
            break;
        str body = take_body(sender, number);
        bool is_paced = load->pace.rate > 0;
        if (is_paced)
            pace_wait(&load->pace, number - load->warm);
        blast_conn_send(conn, body);
        while (blast_conn_outstanding(conn) >= load->window)
            blast_conn_receive(conn);
        if (is_paced)
            pace_answered(&load->pace, number - load->warm);
    }
    while (blast_conn_outstanding(conn))
        blast_conn_receive(conn);
    return NULL;
}

static void
open_sender(struct sender *sender, struct load *load)
{
    size_t cap = 0;

    for (size_t i = 0; i < load->payload->len; i++)
        cap = batch_of(load, i).len > cap ? batch_of(load, i).len : cap;
    *sender = (struct sender){.load = load, .body = malloc(cap)};
    if (!sender->body)
        blast_die("memory");
    sender->conn = blast_conn_open(&load->how);
}

/* CPU time of all threads of a process, in nanoseconds. */
static uint64_t
cpu_ns(const char *pid)
{
    char path[512];
    uint64_t sum = 0;
    struct dirent *entry;

    (void)snprintf(path, sizeof(path), "/proc/%s/task", pid);
    DIR *dir = opendir(path);
    if (!dir)
        blast_die(path);
    while ((entry = readdir(dir))) {
        uint64_t spent = 0;
        (void)snprintf(path, sizeof(path), "/proc/%s/task/%s/schedstat", pid,
                       entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%" SCNu64, &spent) == 1)
            sum += spent;
        if (file)
            (void)fclose(file);
    }
    (void)closedir(dir);
    return sum;
}

/* Answers may come before the folding: returns what was spent once no more is,
 * or after WAIT_MS. */
static uint64_t
settled_cpu_ns(const char *pid)
{
    const struct timespec nap = {.tv_nsec = (long)(NAP_MS * NS_PER_MS)};
    uint64_t spent = cpu_ns(pid);

    for (int i = 0; i < WAIT_MS / NAP_MS; i++) {
        (void)nanosleep(&nap, NULL);
        uint64_t now = cpu_ns(pid);
        if (now - spent < NAP_MS * NS_PER_MS / 50)
            return now;
        spent = now;
    }
    return spent;
}

static void
run(struct load *load, size_t connections)
{
    pthread_t threads[64];
    struct sender senders[64];

    for (size_t i = 0; i < connections; i++)
        open_sender(&senders[i], load);
    for (size_t i = 0; i < connections; i++) {
        if (pthread_create(&threads[i], NULL, drive, &senders[i]))
            blast_die("thread");
    }
    for (size_t i = 0; i < connections; i++) {
        pthread_join(threads[i], NULL);
        blast_conn_close(senders[i].conn);
        free(senders[i].body);
    }
}

/* What WIDE asks for is of spans that are fewer in a batch, and not all alike:
 * |spans_per_batch| becomes the mean. */
static struct payload *
payload_of(struct load *load)
{
    const char *wide = getenv("WIDE");

    if (!wide)
        return payload_new(BATCHES, load->spans_per_batch, true);
    struct payload *payload =
        wide_new((uint32_t)strtoul(wide, NULL, 10), clock_wall_ns());
    load->spans_per_batch = payload->spans / payload->len;
    return payload;
}

int
main(int argc, char **argv)
{
    struct load load = {
        .window = 8,
        .spans_per_batch = 512,
        .first_pass = (uint32_t)(clock_wall_ns() / NS_PER_MS),
        .requests = 4096,
    };
    size_t connections = 2;
    size_t warm = 0;

    if (argc < 4) {
        fprintf(stderr, "usage: blast h1|grpc HOST:PORT PID [json|gzip|plain] "
                        "[spans] [requests] [connections] [window] [warm]\n");
        return 2;
    }
    load.how.is_grpc = strcmp(argv[1], "grpc") == 0;
    load.how.is_json = argc > 4 && strcmp(argv[4], "json") == 0;
    load.how.is_gzip = argc > 4 && strcmp(argv[4], "gzip") == 0;
    if (argc > 5)
        load.spans_per_batch = strtoul(argv[5], NULL, 10);
    if (argc > 6)
        load.requests = strtoul(argv[6], NULL, 10);
    if (argc > 7)
        connections = strtoul(argv[7], NULL, 10);
    if (argc > 8)
        load.window = strtoul(argv[8], NULL, 10);
    if (argc > 9)
        warm = strtoul(argv[9], NULL, 10);
    load.how.frame_max =
        getenv("FRAME") ? strtoul(getenv("FRAME"), NULL, 10) : SIZE_MAX;
    load.requests += warm;
    connections = connections < 64 ? connections : 64;
    load.how.address.sin_family = AF_INET;
    load.how.address.sin_port =
        htons((uint16_t)strtoul(strrchr(argv[2], ':') + 1, NULL, 10));
    load.how.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct payload *payload = payload_of(&load);
    load.payload = payload;
    if (load.how.is_gzip)
        compress_all(&load);

    load.end = warm;
    run(&load, connections);
    load.next = warm;
    load.end = load.requests;
    uint64_t cpu = settled_cpu_ns(argv[3]);
    if (getenv("PACE")) {
        load.warm = warm;
        load.window = 1;
        pace_start(&load.pace, strtod(getenv("PACE"), NULL),
                   load.requests - warm);
    }
    uint64_t wall = clock_mono_ns();
    run(&load, connections);
    double wall_s = (double)(clock_mono_ns() - wall) / 1e9;
    double cpu_s = (double)(settled_cpu_ns(argv[3]) - cpu) / 1e9;
    double spans =
        (double)(load.requests - warm) * (double)load.spans_per_batch;
    printf("%.0f %.0f %.3f %.3f %zu\n", spans / wall_s, spans / cpu_s, wall_s,
           cpu_s, (size_t)load.how.failed);
    if (load.pace.rate > 0)
        pace_report(&load.pace);
    payload_free(payload);
    return load.how.failed != 0;
}
