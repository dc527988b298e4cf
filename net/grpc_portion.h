/*
 * grpc_portion - what gRPC core takes from the system before it is our turn.
 *
 * Core reads from a socket for as long as there is something in it, and hands
 * us nothing meanwhile: of a peer that sends faster than core reads we never
 * hear, and all that it began is kept; with HEADERS and RST_STREAM that was 6
 * GiB in 14 s, before net/grpc_frames.h bounded those.  A listener whose accept
 * has failed, as it does without descriptors, core never looks at again; and it
 * does not count connections.  So the program's own stand before some calls to
 * the system:
 *
 *     epoll_ctl   notes what is watched where core watches, and how
 *     epoll_wait  there begins the next portions; core calls it when there is
 *                 nothing left for us to do
 *     recvmsg     of what is watched there says, once its PORTION_BYTES were
 *                 read, that there is no more, and has it told anew; and it
 *                 bounds headers (net/grpc_headers.h)
 *     accept4     of core's listeners closes what is one too many, or would
 *                 take a descriptor that others need (net/spare.h), and fails
 *                 only as if nobody were there
 *     close       counts what core had and has no more
 *     sendmsg     (net/grpc_cork.c) says what core has sent to whom
 *
 * Where core watches is learnt when it begins to listen:
 *
 *     portion_learn(most, of_one_address, is_tls);
 *     grpc_server_add_http2_port();
 *     portion_learnt();
 *
 * Who could not be let in when there was no descriptor at all is let in with
 * the next who comes.
 *
 * Bound      The connections of all of core's listeners together, and those of
 *            each address.
 * Memory     128 bytes for each descriptor, kept; 4 KiB more once a call was
 *            begun there.
 * Threads    Any; portion_learnt on that of portion_learn.
 */
#ifndef NET_GRPC_PORTION_H
#define NET_GRPC_PORTION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum { PORTION_BYTES = 512 << 10 };

/* portion_learn: core's listeners may have so many |connections|, so many
 * |of_one_address| as net/peers.h tells them apart (0: any number), all of TLS
 * or none. */
void portion_learn(uint32_t connections, uint32_t of_one_address, bool is_tls);
void portion_learnt(void);

/* portion_sends: something is about to be sent to |fd|; portion_sent: |sent|
 * bytes of |message| were.  Any thread. */
void portion_sends(int fd);
void portion_sent(int fd, const struct msghdr *message, size_t sent);

#endif
