/*
 * grpc_cert - certificates for gRPC core, and the names of its peers.
 *
 * Core asks for the certificates at each handshake; files that have changed
 * are read again then, checked, and used for new connections only.  A file
 * that cannot be used leaves the old certificates in place and is logged once.
 *
 * Threads    new, free: the owner.  reload and peer: any.
 */
#ifndef NET_GRPC_CERT_H
#define NET_GRPC_CERT_H

#include <stdbool.h>

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>

#include "base/buf.h"
#include "base/err.h"
#include "net/server.h"

struct grpc_cert;

/*
 * grpc_cert_new reads and checks the files of |tls|, which is copied.
 *
 * ERR_DENIED   a file cannot be read
 * ERR_INVALID  a file is no PEM certificate or key, or they do not fit
 * ERR_NOMEM
 */
enum err grpc_cert_new(struct grpc_cert **out, const struct server_tls *tls,
                       struct buf *why);

/* grpc_cert_free comes after the server that uses the credentials is gone. */
void grpc_cert_free(struct grpc_cert *cert);

/* grpc_cert_credentials returns new credentials that look at |cert| at each
 * handshake; the caller releases them. */
grpc_server_credentials *grpc_cert_credentials(struct grpc_cert *cert);

/* grpc_cert_reload has the files looked at with the next handshake. */
void grpc_cert_reload(struct grpc_cert *cert);

/*
 * grpc_cert_peer appends to |name| the SAN, or else the CN, that the client's
 * verified certificate shows, an allowed one if names are restricted.  False
 * when they are and the certificate has none of them.
 */
bool
grpc_cert_peer(const struct grpc_cert *cert, grpc_call *call, struct buf *name);

#endif
