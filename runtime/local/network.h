/*
 * network.h - the networks of a run's replicas, made by netlink.
 *
 * Each replica has a namespace with loopback and `eth0`, the other end of which
 * lies in the namespace of the keeper.  That one routes between the replicas and
 * has no other interface, so nothing leads out of the run or into it.  The router
 * takes every other address for its own and refuses: a program that looks for a
 * way out finds its own address as in a cluster, and need not wait for an answer.
 *
 * They are routed, not bridged: behind a bridge every replica would have to know
 * the link address of each other one, and the kernel keeps 1024 of these for the
 * whole machine: a full mesh of 33 replicas is too much.  It also ends at 1023
 * ports.  Here each replica knows one neighbour, for good.
 */
#ifndef TRAINC_RUNTIME_LOCAL_NETWORK_H
#define TRAINC_RUNTIME_LOCAL_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct network {
	int *replicas;                  /* of the caller: a descriptor keeps each namespace, -1 for none yet */
	size_t n;
};

enum { NETWORK_REPLICAS_MAX = 64000 };

/* The address of a replica, in host byte order: 10.88.0.1 and up; the last byte is 1 to 250. */
uint32_t network_address(size_t replica);

/*
 * Brings up loopback in the namespace of this process, and lets every user listen on low ports in
 * it.  Loopback gets a second address, 10.88.255.254: where 127.0.0.1 is the only one, resolvers
 * that are asked for usable addresses (AI_ADDRCONFIG) do not find even that.  0, or errno with the
 * step in `step`.
 */
int network_loopback(const char **step);

/*
 * Lets every user listen on low ports in the network of this process, as a pod does. In the namespace of a replica that
 * is for the replica's own processes: what is found below /proc/sys/net of one /proc is found more slowly with each
 * network.
 */
void network_low_ports(void);

/*
 * Gives each replica its network.  The process must have one thread and be alone in a namespace of
 * its own with loopback up.  0, or errno with the step in `step`; release it in either case.
 * EOPNOTSUPP: the kernel has no such interfaces.
 */
int network_open(struct network *n, const char **step);

void network_release(struct network *n);

#endif
