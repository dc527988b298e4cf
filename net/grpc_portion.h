/*
 * grpc_portion - what gRPC core takes from the system before it is our turn.
 *
 * Core reads from a socket for as long as there is something in it, and hands
 * us nothing meanwhile: of a peer that sends faster than core reads we never
 * hear, and all that it began is kept.  With HEADERS and RST_STREAM alone that
 * was 12 KiB for each 28 bytes, 6 GiB in 14 s.  And a listener whose accept has
 * failed, as it does without descriptors, core never looks at again.  So the
 * program's own stand before some calls to the system:
 *
 *     epoll_ctl   notes what is watched where core watches, and how
 *     epoll_wait  there begins the next portions; core calls it when there is
 *                 nothing left for us to do
 *     recvmsg     of what is watched there says, once its PORTION_BYTES were
 *                 read, that there is no more, and has it told anew
 *     accept4     of core's listeners closes what would take a descriptor that
 *                 others need (net/spare.h), and fails only as if nobody were
 *                 there
 *
 * Where core watches is learnt when it begins to listen:
 *
 *     portion_learn(); grpc_server_add_http2_port(); portion_learnt();
 *
 * Who could not be let in when there was no descriptor at all is let in with
 * the next who comes.
 *
 * Memory     40 bytes for each descriptor, kept.
 * Threads    Any; portion_learnt on that of portion_learn.
 */
#ifndef NET_GRPC_PORTION_H
#define NET_GRPC_PORTION_H

enum { PORTION_BYTES = 512 << 10 };

void portion_learn(void);
void portion_learnt(void);

#endif
