/*
 * limits.h - what Linux, the API server and etcd take.
 */
#ifndef TRAINC_KUBE_LIMITS_H
#define TRAINC_KUBE_LIMITS_H

#include "base/str.h"

enum {
	LIMIT_ENV_STRING = 131072,              /* NAME=value and its NUL, or one argument */
	LIMIT_EXEC = 2 * 1024 * 1024,           /* all arguments and environment */
	LIMIT_EXEC_WARN = 1024 * 1024,
	LIMIT_OBJECT = 1536 * 1024,             /* an object as JSON */
	LIMIT_DATA = 1024 * 1024,               /* of a ConfigMap or Secret */
	LIMIT_ANNOTATIONS = 256 * 1024,
	LIMIT_LABEL = 63,                       /* a DNS label, a label's value */
	LIMIT_PREFIX = 253,                     /* of a label's key */
	LIMIT_NAME = 253,                       /* of most objects */
	LIMIT_PORT_NAME = 15,
	LIMIT_OBJECTS = 10000                   /* emitted by one program */
};

/* The parts of a label's or annotation's key and a label's value; false with the reason in `why`. */
bool kube_label_key(struct str key, const char **why);
bool kube_label_value(struct str value, const char **why);
/* The name of a container's port. */
bool kube_port_name(struct str name, const char **why);
/* Lower-case letters, digits and `-` between letters and digits; the length is not looked at. */
bool kube_dns_label(struct str name);
/* The name of an object of most kinds: a DNS subdomain.  The key of a Secret or ConfigMap. */
bool kube_object_name(struct str name);
bool kube_data_key(struct str key);
/* Is the kind one that has no namespace? */
bool kube_cluster_scoped(struct str kind);

#endif
