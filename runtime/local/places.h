/*
 * places.h - where the replicas of a local run are: the placement for plan_env().
 *
 * Replicas that share a network (modes NONE and JOB) are all at 127.0.0.1, so every port of every
 * replica is a number of its own.  It is found by binding, below the range from which the kernel
 * takes ports for outgoing connections, and stays bound until just before its replica starts.  A
 * name in the abstract socket name space keeps the number from other runs of this network until
 * this run is over: a program often binds its port only seconds after its start.
 *
 * In mode REPLICA hosts and ports are the cluster's.
 */
#ifndef TRAINC_RUNTIME_LOCAL_PLACES_H
#define TRAINC_RUNTIME_LOCAL_PLACES_H

#include "plan/plan.h"
#include "runtime/local/isolate.h"

struct places;

struct places *places_new(struct arena *a, const struct plan_job *j, enum isolate_mode mode);
/* To be called when the network exists: finds the ports.  False with a sentence. */
bool places_open(struct places *p, const struct isolation *iso, struct str *why);

const struct placement *places_placement(const struct places *p);
/* Replicas of all roles are numbered in one row, in the order of the plan. */
size_t places_number(const struct places *p, unsigned role, int64_t i);
/* Text of /etc/hosts with every replica's name; NULL when names are not used. */
const char *places_hosts(const struct places *p);

/*
 * The replica is about to start: releases its ports.  False, with the number, when another program
 * has one of them by now (F-49 of docs/testing.md).
 */
bool places_free(struct places *p, unsigned role, int64_t i, int64_t *ret_taken);
/* To be called when nothing runs: finds new numbers for ports that another program has by now. */
bool places_again(struct places *p, struct str *why);
void places_release(struct places *p);

#endif
