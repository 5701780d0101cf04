/*
 * network.c - see network.h. All requests to one namespace are sent together and answered together: a replica costs two
 * exchanges. The numbers of links are chosen here, so nothing has to be queried.
 */
#include "runtime/local/network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/ip.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	LOOPBACK = 1,
	INSIDE = 100,                   /* interface number of a replica's eth0 */
	/* number of replica 0's link in the keeper's namespace; the kernel itself chooses lower numbers */
	OUTSIDE = 100
};

#define NETWORK UINT32_C(0x0a580000)    /* 10.88.0.0/16, the network of all replicas */
#define ROUTER (NETWORK | 0xfffe)

uint32_t network_address(size_t replica)
{
	return NETWORK | (uint32_t)(replica / 250) << 8 | (uint32_t)(replica % 250 + 1);
}

/* ---- requests ---- */

struct netlink_batch {
	_Alignas(struct nlmsghdr) char at[2048];
	size_t n, begin;                /* number of bytes; offset of the last message */
	unsigned messages;
	const char *steps[8];           /* for each message, the step that it belongs to */
	unsigned optional;              /* one bit for each message that may fail */
};

static void *append(struct netlink_batch *b, const void *bytes, size_t n)
{
	void *to = b->at + b->n;

	if (n)
		memcpy(to, bytes, n);
	b->n += NLMSG_ALIGN(n);
	((struct nlmsghdr *)(b->at + b->begin))->nlmsg_len = (uint32_t)(b->n - b->begin);
	return to;
}

/* Appends a message to the batch; its attributes follow. */
static void message(struct netlink_batch *b, const char *step, uint16_t type, uint16_t flags, const void *body,
	size_t n)
{
	struct nlmsghdr head = {
		.nlmsg_type = type,
		.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags),
		.nlmsg_seq = b->messages,
	};

	b->begin = b->n;
	b->steps[b->messages++] = step;
	append(b, &head, sizeof(head));
	append(b, body, n);
}

static void attribute(struct netlink_batch *b, uint16_t type, const void *value, size_t n)
{
	struct rtattr head = { .rta_type = type, .rta_len = (uint16_t)RTA_LENGTH(n) };

	append(b, &head, sizeof(head));
	append(b, value, n);
}

/* An attribute that contains everything appended until nest_end(). */
static struct rtattr *nest(struct netlink_batch *b, uint16_t type)
{
	struct rtattr head = { .rta_type = type };

	return append(b, &head, sizeof(head));
}

static void nest_end(struct netlink_batch *b, struct rtattr *outer)
{
	outer->rta_len = (uint16_t)(b->at + b->n - (char *)outer);
}

/* Sends the batch and reads the results; the first failure counts. */
static int exchange(int fd, struct netlink_batch *b, const char **step)
{
	_Alignas(struct nlmsghdr) char answer[8192];
	unsigned heard = 0, first = b->messages;
	int error = 0;

	if (send(fd, b->at, b->n, 0) < 0) {
		*step = b->steps[0];
		return errno;
	}
	while (heard < b->messages) {
		ssize_t got = recv(fd, answer, sizeof(answer), 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			*step = b->steps[0];
			return got < 0 ? errno : EPROTO;
		}
		for (struct nlmsghdr *m = (struct nlmsghdr *)answer; NLMSG_OK(m, (size_t)got); m = NLMSG_NEXT(m, got)) {
			const struct nlmsgerr *e = NLMSG_DATA(m);

			if (m->nlmsg_type != NLMSG_ERROR)
				continue;
			heard++;
			if (e->error && m->nlmsg_seq < first && !(b->optional >> m->nlmsg_seq & 1)) {
				first = m->nlmsg_seq;
				error = -e->error;
			}
		}
	}
	if (error)
		*step = b->steps[first];
	return error;
}

static int netlink(void)
{
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
}

/* ---- the requests ---- */

static const struct ifinfomsg up = { .ifi_flags = IFF_UP, .ifi_change = IFF_UP };

static void link_up(struct netlink_batch *b, int index)
{
	struct ifinfomsg body = up;

	body.ifi_index = index;
	message(b, "bring up an interface", RTM_SETLINK, 0, &body, sizeof(body));
}

/* Appends a link address. It is derived from the network address, so both ends know it without a request. */
static void link_address(struct netlink_batch *b, uint16_t type, uint32_t address)
{
	uint8_t bytes[6] = { 0x0a, 0x58, (uint8_t)(address >> 24), (uint8_t)(address >> 16), (uint8_t)(address >> 8),
		(uint8_t)address };

	attribute(b, type, bytes, sizeof(bytes));
}

static void network_attribute(struct netlink_batch *b, uint16_t type, uint32_t address)
{
	uint32_t value = htonl(address);

	attribute(b, type, &value, sizeof(value));
}

/*
 * Limits the link to one queue. By default the kernel makes one queue for each processor and later releases all but
 * one; each time it waits until no processor uses them.
 */
static void queues(struct netlink_batch *b)
{
	uint32_t one = 1;

	attribute(b, IFLA_NUM_TX_QUEUES, &one, sizeof(one));
	attribute(b, IFLA_NUM_RX_QUEUES, &one, sizeof(one));
}

/* Makes both ends of a replica's link: one here, one in NAMESPACE. */
static void link_make(struct netlink_batch *b, size_t replica, int namespace)
{
	/* a link cannot be up before it has two ends */
	struct ifinfomsg here = up, there = { .ifi_index = INSIDE };
	struct rtattr *info, *data, *peer;
	char name[16];

	here.ifi_index = OUTSIDE + (int)replica;
	snprintf(name, sizeof(name), "replica%zu", replica);
	message(b, "make a pair of veth interfaces", RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &here, sizeof(here));
	attribute(b, IFLA_IFNAME, name, strlen(name) + 1);
	link_address(b, IFLA_ADDRESS, ROUTER);
	queues(b);
	info = nest(b, IFLA_LINKINFO);
	attribute(b, IFLA_INFO_KIND, "veth", sizeof("veth"));
	data = nest(b, IFLA_INFO_DATA);
	peer = nest(b, VETH_INFO_PEER);
	append(b, &there, sizeof(there));
	attribute(b, IFLA_IFNAME, "eth0", sizeof("eth0"));
	link_address(b, IFLA_ADDRESS, network_address(replica));
	queues(b);
	attribute(b, IFLA_NET_NS_FD, &namespace, sizeof(namespace));
	nest_end(b, peer);
	nest_end(b, data);
	nest_end(b, info);
}

/*
 * Permits packets that arrive on this link to leave by another link. This is a setting of the interface, which needs no
 * writable /proc/sys.
 */
static void forward(struct netlink_batch *b, int index)
{
	struct ifinfomsg body = { .ifi_index = index };
	struct rtattr *families, *family, *settings;
	uint32_t yes = 1;

	message(b, "route between replicas", RTM_SETLINK, 0, &body, sizeof(body));
	families = nest(b, IFLA_AF_SPEC);
	family = nest(b, AF_INET);
	settings = nest(b, IFLA_INET_CONF);
	attribute(b, IPV4_DEVCONF_FORWARDING, &yes, sizeof(yes));
	nest_end(b, settings);
	nest_end(b, family);
	nest_end(b, families);
}

/*
 * Disables link-local addresses, and with them the detection of duplicates. A default of the namespace would have the
 * same effect, but looking up files below /proc/sys/net gets slower with each namespace. May fail, because some kernels
 * have no IPv6.
 */
static void no_link_local(struct netlink_batch *b, int index)
{
	struct ifinfomsg body = { .ifi_index = index };
	struct rtattr *families, *family;
	uint8_t none = IN6_ADDR_GEN_MODE_NONE;

	b->optional |= 1u << b->messages;
	message(b, "make no link-local address", RTM_SETLINK, 0, &body, sizeof(body));
	families = nest(b, IFLA_AF_SPEC);
	family = nest(b, AF_INET6);
	attribute(b, IFLA_INET6_ADDR_GEN_MODE, &none, sizeof(none));
	nest_end(b, family);
	nest_end(b, families);
}

/* Adds an address. The prefix only informs people: routes are set explicitly. */
static void address_add(struct netlink_batch *b, int index, uint32_t address, uint8_t prefix)
{
	struct ifaddrmsg body = { .ifa_family = AF_INET, .ifa_prefixlen = prefix, .ifa_index = (uint32_t)index };
	uint32_t flags = IFA_F_NOPREFIXROUTE;

	message(b, "give an address to an interface", RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &body, sizeof(body));
	network_attribute(b, IFA_LOCAL, address);
	network_attribute(b, IFA_ADDRESS, address);
	attribute(b, IFA_FLAGS, &flags, sizeof(flags));
}

static void neighbour_add(struct netlink_batch *b, int index, uint32_t address)
{
	struct ndmsg body = { .ndm_family = AF_INET, .ndm_ifindex = index, .ndm_state = NUD_PERMANENT };

	message(b, "add a neighbor entry", RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, &body, sizeof(body));
	network_attribute(b, NDA_DST, address);
	link_address(b, NDA_LLADDR, address);
}

static void route_add(struct netlink_batch *b, int index, struct rtmsg body)
{
	body.rtm_family = AF_INET;
	body.rtm_table = RT_TABLE_MAIN;
	body.rtm_protocol = RTPROT_STATIC;
	message(b, "add a route", RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, &body, sizeof(body));
	attribute(b, RTA_OIF, &index, sizeof(index));
}

/* Adds a route to one address, at the other end of the link. */
static void route_to(struct netlink_batch *b, int index, uint32_t address)
{
	route_add(b, index, (struct rtmsg){ .rtm_type = RTN_UNICAST, .rtm_scope = RT_SCOPE_LINK, .rtm_dst_len = 32 });
	network_attribute(b, RTA_DST, address);
}

/* Adds the route through the router to everything else. */
static void route_out(struct netlink_batch *b, int index)
{
	route_add(b, index, (struct rtmsg){ .rtm_type = RTN_UNICAST, .rtm_scope = RT_SCOPE_UNIVERSE,
		.rtm_flags = RTNH_F_ONLINK });
	network_attribute(b, RTA_GATEWAY, ROUTER);
}

/* Adds a route for all other addresses: packets to them end in this namespace, where no program listens. */
static void route_end(struct netlink_batch *b)
{
	route_add(b, LOOPBACK, (struct rtmsg){ .rtm_type = RTN_LOCAL, .rtm_scope = RT_SCOPE_HOST });
}

/* ---- namespaces ---- */

/*
 * Writes a setting of the network of this process: /proc/sys/net shows the settings of the namespace of its reader. The
 * settings are conveniences, and stay unchanged where they are read-only.
 */
static void setting(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, value, strlen(value)) < 0)
		errno = 0;
	close(fd);
}

void network_low_ports(void) { setting("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0"); }

int network_loopback(const char **step)
{
	struct netlink_batch b = { .n = 0 };
	int fd = netlink(), error;

	*step = "open a netlink socket";
	if (fd < 0)
		return errno;
	network_low_ports();
	/* disables link-local addresses, and so the detection of duplicates on hundreds of links */
	setting("/proc/sys/net/ipv6/conf/default/addr_gen_mode", "1");
	link_up(&b, LOOPBACK);
	address_add(&b, LOOPBACK, ROUTER, 32);
	error = exchange(fd, &b, step);
	close(fd);
	return error;
}

static int open_namespace(void)
{
	return open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
}

/* Makes a namespace and a socket for requests to the namespace; this process is in the new namespace afterwards. */
static int namespace_make(int *namespace, int *inside, const char **step)
{
	*step = "make a network namespace";
	if (unshare(CLONE_NEWNET) != 0)
		return errno;
	*namespace = open_namespace();
	*inside = netlink();
	return *namespace < 0 || *inside < 0 ? errno : 0;
}

static int replica_make(size_t replica, int outside, int *namespace, const char **step)
{
	struct netlink_batch there = { .n = 0 }, here = { .n = 0 };
	int inside = -1, error = namespace_make(namespace, &inside, step);

	if (!error) {
		link_make(&here, replica, *namespace);
		forward(&here, OUTSIDE + (int)replica);
		neighbour_add(&here, OUTSIDE + (int)replica, network_address(replica));
		route_to(&here, OUTSIDE + (int)replica, network_address(replica));
		error = exchange(outside, &here, step);
	}
	if (!error) {
		no_link_local(&there, INSIDE);
		link_up(&there, LOOPBACK);
		link_up(&there, INSIDE);
		address_add(&there, INSIDE, network_address(replica), 16);
		neighbour_add(&there, INSIDE, ROUTER);
		route_out(&there, INSIDE);
		error = exchange(inside, &there, step);
	}
	if (inside >= 0)
		close(inside);
	return error;
}

static int router_make(int outside, const char **step)
{
	struct netlink_batch b = { .n = 0 };

	/*
	 * every refusal must be reported: the mask exempts refusals from two rate limits, one for each destination and
	 * one for the namespace. The namespace's limit starts to gain credit with the first refusal, so the second of
	 * two simultaneous refusals could be dropped
	 */
	setting("/proc/sys/net/ipv4/icmp_ratemask", "0");
	route_end(&b);
	return exchange(outside, &b, step);
}

int network_open(struct network *n, const char **step)
{
	int home = open_namespace(), outside = netlink(), error = 0;

	*step = "open a network namespace";
	if (home < 0 || outside < 0)
		error = errno;
	if (!error)
		error = router_make(outside, step);
	for (size_t i = 0; i < n->n && !error; i++)
		error = replica_make(i, outside, &n->replicas[i], step);
	if (home >= 0 && setns(home, CLONE_NEWNET) != 0 && !error) {
		*step = "return to the network namespace of the run";
		error = errno;
	}
	if (home >= 0)
		close(home);
	if (outside >= 0)
		close(outside);
	return error;
}

void network_release(struct network *n)
{
	for (size_t i = 0; i < n->n; i++)
		if (n->replicas[i] >= 0)
			close(n->replicas[i]);
	n->n = 0;
}
