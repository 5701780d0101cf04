/*
 * limits.h - limits of Linux, the API server and etcd.
 */
#ifndef TRAINC_KUBE_LIMITS_H
#define TRAINC_KUBE_LIMITS_H

#include "base/str.h"

enum {
	LIMIT_ENV_STRING = 131072,              /* maximum bytes of one argument or of NAME=value, with the NUL */
	LIMIT_EXEC = 2 * 1024 * 1024,           /* maximum bytes of all arguments and the environment together */
	LIMIT_EXEC_WARN = 1024 * 1024,
	LIMIT_OBJECT = 1536 * 1024,             /* maximum bytes of an object as JSON */
	LIMIT_DATA = 1024 * 1024,               /* maximum bytes of the data of a ConfigMap or Secret */
	LIMIT_ANNOTATIONS = 256 * 1024,
	LIMIT_LABEL = 63,                       /* maximum characters of a DNS label or of a label's value */
	LIMIT_PREFIX = 253,                     /* maximum characters of the prefix of a label's key */
	LIMIT_NAME = 253,                       /* maximum characters of the names of most kinds of objects */
	LIMIT_PORT_NAME = 15,
	LIMIT_OBJECTS = 10000                   /* maximum number of objects that one program emits */
};

/*
 * Check the key of a label or annotation, and the value of a label. If it is invalid, they return false with the
 * reason in WHY.
 */
bool kube_label_key(struct str key, const char **why);
bool kube_label_value(struct str value, const char **why);
/* Checks the name of a container's port. */
bool kube_port_name(struct str name, const char **why);
/* Is it a resource of a device plugin? Amounts of such resources must be whole numbers. */
bool kube_device_resource(struct str name);
/*
 * Does the name consist of lower-case letters, digits and `-`, with a letter or digit at both ends? The length is not
 * checked.
 */
bool kube_dns_label(struct str name);
/* Check the name of an object of most kinds (a DNS subdomain), and the key of a Secret or ConfigMap. */
bool kube_object_name(struct str name);
bool kube_data_key(struct str key);
/* Do objects of this kind have no namespace? */
bool kube_cluster_scoped(struct str kind);

#endif
