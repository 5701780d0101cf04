/*
 * api_network.c - rules of the API server about NetworkPolicies: ports and blocks of addresses.
 */
#include "verify/api_rules.h"

void api_network_port(struct api_check *k, const struct data *d)
{
	const struct data *port = data_get(d, STR("port")), *end = data_get(d, STR("endPort"));

	if (!end || end->kind != DATA_INT)
		return;
	if (!port)
		api_missing(k, end, "add the first port of the range: port = 8000", "'endPort' needs a 'port'");
	else if (port->kind != DATA_INT)
		api_refuse(k, end, "remove it, or write the number of the first port in 'port'",
			"a range of ports begins with a number, and 'port' is a name");
	else if (end->u.integer < port->u.integer)
		api_refuse(k, end, "make it at least 'port'", "'endPort' is %lld, and 'port' %lld",
			(long long)end->u.integer, (long long)port->u.integer);
}

/* Is it a block of addresses: an address, '/', and the number of bits that all of them share? */
static bool is_block(struct str s)
{
	const char *slash = memchr(s.p, '/', s.n);
	struct str address = { s.p, slash ? (size_t)(slash - s.p) : s.n };
	int bits = 0, most = memchr(address.p, ':', address.n) ? 128 : 32;

	if (!slash || slash + 1 == s.p + s.n || !api_is_address(address))
		return false;
	for (const char *p = slash + 1; p < s.p + s.n; p++) {
		bits = bits * 10 + (*p - '0');
		if (*p < '0' || *p > '9' || bits > most)
			return false;
	}
	return true;
}

static void address_block(struct api_check *k, const struct data *d)
{
	if (d && d->kind == DATA_STRING && !is_block(d->u.string))
		api_refuse(k, d, "write an address and up to 32 bits, such as 10.0.0.0/8, or up to 128 for IPv6",
			"'%.*s' is not a block of addresses", STR_ARG(check_short(k->c->arena, d->u.string)));
}

void api_network_block(struct api_check *k, const struct data *d)
{
	const struct data *except = data_get(d, STR("except"));

	address_block(k, data_get(d, STR("cidr")));
	for (size_t i = 0; except && except->kind == DATA_LIST && i < except->u.list.n; i++)
		address_block(k, except->u.list.at[i]);
}

void api_network_peer(struct api_check *k, const struct data *d)
{
	if (api_has(d, "ipBlock") && (api_has(d, "podSelector") || api_has(d, "namespaceSelector")))
		api_refuse(k, data_get(d, STR("ipBlock")), "write two entries, one with each",
			"'ipBlock' excludes 'podSelector' and 'namespaceSelector'");
	else if (!api_has(d, "ipBlock") && !api_has(d, "podSelector") && !api_has(d, "namespaceSelector"))
		api_missing(k, d, "write podSelector { } for all pods of the namespace",
			"an entry needs 'ipBlock', 'podSelector' or 'namespaceSelector'");
}
