/* proxy.h - decides which proxy a connection uses, by kubectl's rules, which differ from libcurl's rules. */
#ifndef TRAINC_RUNTIME_CLUSTER_PROXY_H
#define TRAINC_RUNTIME_CLUSTER_PROXY_H

#include "base/str.h"

/* Values of the variables in upper case or, if these are empty, of the variables in lower case; p == NULL: not set. */
struct proxy_environment {
	struct str http, https, no_proxy;
};

struct proxy_environment proxy_environment(void);

/*
 * The URL of the proxy for HOST and PORT. A proxy of the kubeconfig is used whatever NO_PROXY says; if the kubeconfig
 * has no proxy, the environment decides. Empty: no proxy. The result borrows from E or URL.
 */
struct str proxy_for(const struct proxy_environment *e, struct str url, bool tls, struct str host, unsigned port);

/*
 * Does NO_PROXY exclude HOST? Its entries are separated by commas: '*'; an address; a CIDR range; a domain, which
 * includes all its subdomains; '.domain' or '*.domain', which mean only the subdomains. Each entry may end with
 * ':PORT'. 'localhost' and loopback addresses never use a proxy.
 */
bool proxy_excepted(struct str no_proxy, struct str host, unsigned port);

/* URL in the form for libcurl: kubectl lets a proxy resolve names for socks5, and libcurl only for socks5h. */
struct str proxy_for_curl(struct arena *a, struct str url);

/* URL without the password, for messages. */
struct str proxy_shown(struct arena *a, struct str url);

#endif
