/*
 * proxy.h - decides which proxy a connection uses, by the rules of kubectl, which differ from those of libcurl.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_PROXY_H
#define TRAINC_RUNTIME_CLUSTER_PROXY_H

#include "base/str.h"

/* Values of the variables in upper case or, if those are empty, in lower case; p == NULL: not set. */
struct proxy_environment {
	struct str http, https, no_proxy;
};

struct proxy_environment proxy_environment(void);

/*
 * The URL of the proxy for HOST and PORT. The kubeconfig's proxy is used if there is one, whatever NO_PROXY says;
 * otherwise the environment decides. Empty: no proxy. The result borrows from E or URL.
 */
struct str proxy_for(const struct proxy_environment *e, struct str url, bool tls, struct str host, unsigned port);

/*
 * Does NO_PROXY exclude HOST? Its entries are separated by commas: '*'; an address; a CIDR range; a domain, which
 * includes everything below it; '.domain' or '*.domain', which only mean what is below it. Each may end with ':PORT'.
 * 'localhost' and loopback addresses never use a proxy.
 */
bool proxy_excepted(struct str no_proxy, struct str host, unsigned port);

/* URL as libcurl needs it: with socks5 the proxy resolves names for kubectl, with socks5h for libcurl. */
struct str proxy_for_curl(struct arena *a, struct str url);

/* URL without the password in it, for messages. */
struct str proxy_shown(struct arena *a, struct str url);

#endif
