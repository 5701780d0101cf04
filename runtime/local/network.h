/*
 * network.h - makes the networks of a run's replicas with netlink. Each replica has a namespace with loopback and
 * `eth0`, whose other end is in the namespace of the keeper. The keeper's namespace routes between the replicas and has
 * no other interface, so nothing leads out of the run or into it. The router treats every other address as its own and
 * refuses connections to it: a program that looks for its own outgoing address finds it as in a cluster, and does not
 * have to wait for an answer.
 *
 * The networks are routed, not bridged. Behind a bridge every replica would have to know the link addresses of all
 * other replicas. The kernel keeps 1024 link addresses for the whole machine, too few for a full mesh of 33 replicas. A
 * bridge also has at most 1023 ports. With routing, each replica knows only one neighbor.
 */
#ifndef TRAINC_RUNTIME_LOCAL_NETWORK_H
#define TRAINC_RUNTIME_LOCAL_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct network {
	int *replicas;                  /* array of the caller: a descriptor that keeps each namespace alive; -1: the
					 * namespace does not exist yet */
	size_t n;
};

enum { NETWORK_REPLICAS_MAX = 64000 };

/* The address of a replica, in host byte order: 10.88.0.1 and up; the last byte is 1 to 250. */
uint32_t network_address(size_t replica);

/*
 * Brings up loopback in the namespace of this process, and lets every user listen on low ports in it. Loopback gets a
 * second address, 10.88.255.254: if 127.0.0.1 is the only address, a resolver that is asked for usable addresses
 * (AI_ADDRCONFIG) does not find even 127.0.0.1. Returns 0, or errno with the failed step in STEP.
 */
int network_loopback(const char **step);

/*
 * Lets every user listen on low ports in the network of this process, as in a pod. The processes of a replica call this
 * themselves, because in a single /proc, looking up files below /proc/sys/net gets slower with each network.
 */
void network_low_ports(void);

/*
 * Makes the network of each replica. The process must have one thread and be alone in a namespace of its own with
 * loopback up. Returns 0, or errno with the failed step in STEP; the network must be released in either case.
 * EOPNOTSUPP: the kernel has no such interfaces.
 */
int network_open(struct network *n, const char **step);

void network_release(struct network *n);

#endif
