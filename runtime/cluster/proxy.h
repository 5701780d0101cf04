/*
 * proxy.h - which proxy a connection uses, by kubectl's rules, which are not libcurl's.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_PROXY_H
#define TRAINC_RUNTIME_CLUSTER_PROXY_H

#include "base/str.h"

/* Values of the variables in capitals or, where those are empty, in small letters; p == NULL: not set. */
struct proxy_environment {
	struct str http, https, no_proxy;
};

struct proxy_environment proxy_environment(void);

/*
 * The proxy for HOST and PORT: URL of the kubeconfig where it has one, whatever NO_PROXY says, else the
 * environment's.  Empty: none.  The result borrows.
 */
struct str proxy_for(const struct proxy_environment *e, struct str url, bool tls, struct str host, unsigned port);

/*
 * Does NO_PROXY name HOST?  Entries separated by commas: '*'; an address; a CIDR range;
 * a domain, which covers what is below it; '.domain' or '*.domain', only what is
 * below.  Each may end in ':PORT'.  'localhost' and loopback addresses never use a proxy.
 */
bool proxy_excepted(struct str no_proxy, struct str host, unsigned port);

/* URL without the password in it, for messages. */
struct str proxy_shown(struct arena *a, struct str url);

#endif
