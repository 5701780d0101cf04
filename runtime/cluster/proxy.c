/*
 * proxy.c - evaluates HTTPS_PROXY, HTTP_PROXY and NO_PROXY as Go programs do.
 */
#include "runtime/cluster/proxy.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

static struct str either(const char *upper, const char *lower)
{
	const char *value = getenv(upper);

	if (!value || !*value)
		value = getenv(lower);
	return value && *value ? str_of(value) : (struct str){ 0 };
}

struct proxy_environment proxy_environment(void)
{
	return (struct proxy_environment){ either("HTTP_PROXY", "http_proxy"), either("HTTPS_PROXY", "https_proxy"),
		either("NO_PROXY", "no_proxy") };
}

/* An address of 16 bytes; IPv4 addresses are mapped into IPv6. */
struct address {
	unsigned char bytes[16];
};

static bool address_parse(struct str s, struct address *ret, bool *ret_v4)
{
	char text[INET6_ADDRSTRLEN];
	struct in_addr v4;

	if (s.n >= 2 && s.p[0] == '[' && s.p[s.n - 1] == ']')
		s = (struct str){ s.p + 1, s.n - 2 };
	if (!s.n || s.n >= sizeof text)
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = 0;
	*ret_v4 = inet_pton(AF_INET, text, &v4) == 1;
	if (!*ret_v4)
		return inet_pton(AF_INET6, text, ret->bytes) == 1;
	*ret = (struct address){ .bytes = { [10] = 0xff, [11] = 0xff } };
	memcpy(ret->bytes + 12, &v4, 4);
	return true;
}

static bool address_loopback(const struct address *a)
{
	static const unsigned char v4[13] = { [10] = 0xff, [11] = 0xff, [12] = 127 };
	static const unsigned char v6[16] = { [15] = 1 };

	return memcmp(a->bytes, v4, 13) == 0 || memcmp(a->bytes, v6, 16) == 0;
}

/* Is ADDRESS in the range that ENTRY names, "10.0.0.0/8"? */
static bool in_range(struct str entry, const struct address *address)
{
	const char *slash = memchr(entry.p, '/', entry.n);
	struct address net;
	unsigned bits = 0;
	bool v4;

	if (!slash || slash + 1 == entry.p + entry.n ||
	    !address_parse((struct str){ entry.p, (size_t)(slash - entry.p) }, &net, &v4))
		return false;
	for (const char *p = slash + 1; p < entry.p + entry.n; p++) {
		if (!isdigit((unsigned char)*p) || bits > 128)
			return false;
		bits = 10 * bits + (unsigned)(*p - '0');
	}
	if (v4)
		bits += 96;
	if (bits > 128)
		return false;
	for (unsigned i = 0; i < bits; i++)
		if ((net.bytes[i / 8] ^ address->bytes[i / 8]) & 0x80 >> i % 8)
			return false;
	return true;
}

static bool same_name(struct str a, struct str b) { return a.n == b.n && strncasecmp(a.p, b.p, a.n) == 0; }

/* Is HOST below DOMAIN? DOMAIN itself counts if ITSELF is set. */
static bool below(struct str host, struct str domain, bool itself)
{
	if (same_name(host, domain))
		return itself;
	return host.n > domain.n && host.p[host.n - domain.n - 1] == '.' &&
	       strncasecmp(host.p + host.n - domain.n, domain.p, domain.n) == 0;
}

/* Takes ":PORT" from the end of ENTRY; false if ENTRY names another port. */
static bool port_agrees(struct str *entry, unsigned port)
{
	const char *colon = memrchr(entry->p, ':', entry->n);
	unsigned named = 0;

	if (!colon || (memchr(entry->p, ':', entry->n) != colon && entry->p[0] != '['))
		return true;            /* ENTRY has no port, or it is an IPv6 address without brackets */
	if (entry->p[0] == '[' && colon[-1] != ']')
		return true;
	for (const char *p = colon + 1; p < entry->p + entry->n; p++) {
		if (!isdigit((unsigned char)*p))
			return false;
		named = named > 65535 ? named : 10 * named + (unsigned)(*p - '0');
	}
	entry->n = (size_t)(colon - entry->p);
	return named == port;
}

static bool covers(struct str entry, struct str host, unsigned port, const struct address *address)
{
	struct address named;
	bool v4;

	if (str_is(entry, "*"))
		return true;
	if (address && in_range(entry, address))
		return true;
	if (!port_agrees(&entry, port) || !entry.n)
		return false;
	if (address)
		return address_parse(entry, &named, &v4) && memcmp(named.bytes, address->bytes, 16) == 0;
	if (entry.n > 2 && entry.p[0] == '*' && entry.p[1] == '.')
		return below(host, (struct str){ entry.p + 2, entry.n - 2 }, false);
	if (entry.p[0] == '.')
		return below(host, (struct str){ entry.p + 1, entry.n - 1 }, false);
	return below(host, entry, true);
}

bool proxy_excepted(struct str no_proxy, struct str host, unsigned port)
{
	struct address address;
	bool v4, numeric = address_parse(host, &address, &v4);

	if (same_name(host, STR("localhost")) || (numeric && address_loopback(&address)))
		return true;
	while (no_proxy.n) {
		const char *comma = memchr(no_proxy.p, ',', no_proxy.n);
		struct str entry = { no_proxy.p, comma ? (size_t)(comma - no_proxy.p) : no_proxy.n };
		no_proxy = comma ? (struct str){ comma + 1, no_proxy.n - entry.n - 1 } : (struct str){ "", 0 };
		while (entry.n && isspace((unsigned char)entry.p[0]))
			entry = (struct str){ entry.p + 1, entry.n - 1 };
		while (entry.n && isspace((unsigned char)entry.p[entry.n - 1]))
			entry.n--;
		if (entry.n && covers(entry, host, port, numeric ? &address : NULL))
			return true;
	}
	return false;
}

struct str proxy_for(const struct proxy_environment *e, struct str url, bool tls, struct str host, unsigned port)
{
	struct str from_environment = tls ? e->https : e->http;

	if (url.n)
		return url;
	return from_environment.n && !proxy_excepted(e->no_proxy, host, port) ? from_environment : STR("");
}

struct str proxy_for_curl(struct arena *a, struct str url)
{
	size_t n = strlen("socks5://");

	if (url.n < n || strncasecmp(url.p, "socks5://", n) != 0)
		return str_copy(a, url);
	return str_cat(a, STR("socks5h://"), (struct str){ url.p + n, url.n - n }, STR(""));
}

struct str proxy_shown(struct arena *a, struct str url)
{
	const char *at = memrchr(url.p, '@', url.n);
	const char *scheme = memmem(url.p, url.n, "://", 3);

	if (!at)
		return url;
	const char *begin = scheme && scheme < at ? scheme + 3 : url.p;
	return str_cat(a, (struct str){ url.p, (size_t)(begin - url.p) },
		(struct str){ at + 1, (size_t)(url.p + url.n - at - 1) }, STR(""));
}
