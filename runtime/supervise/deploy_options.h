/*
 * deploy_options.h - the options of `trainc supervise --manifest`. Each option is used to write the objects, or becomes
 * an argument of the process in the cluster, or is refused with a reason: none is ignored.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_DEPLOY_OPTIONS_H
#define TRAINC_RUNTIME_SUPERVISE_DEPLOY_OPTIONS_H

#include "command/session.h"

struct deploy_options {
	struct str name;                /* name of the installation and of its objects */
	struct str image;
	struct str lease;               /* name of the Lease */
	struct str priority;            /* priority class of the pods; empty: none */
	struct str *metrics_from;       /* namespaces whose pods may read the metrics; none: the controller's own */
	size_t nmetrics_from;
	unsigned replicas;              /* number of pods without shards */
	unsigned listen, probes;        /* the ports of --listen and --probes */
	const char *monitor;            /* file of the object that finds the metrics; NULL: none */
};

/* Reads the options of --manifest. Returns false after it has reported what is wrong. */
bool deploy_options_read(struct session *s, struct deploy_options *ret);
/*
 * Without --manifest: returns false after it has reported an option that is only about objects of --manifest.
 */
bool deploy_options_absent(struct session *s);
/* Calls ADD with each argument that the process in the cluster gets because the option was given here. */
void deploy_options_carry(struct session *s, void (*add)(void *to, struct str argument), void *to);

#endif
