/*
 * exporter.h - reads what an exporter of a node says about devices, in the text format of Prometheus. The text is
 * hostile: lines that do not have the form are left out, and what is kept is bounded.
 */
#ifndef TRAINC_RUNTIME_STATUS_EXPORTER_H
#define TRAINC_RUNTIME_STATUS_EXPORTER_H

#include "base/map.h"

enum { EXPORTER_DEVICES = 256 };        /* devices of a node that are kept */

/* A device of a node. */
struct exporter_device {
	struct str id, pod, ns;
	double use, memory;             /* percent, and bytes; negative: unknown */
	unsigned use_row, memory_row;   /* the rows of exporters.def that gave them */
};

struct exporter_devices {
	struct exporter_device at[EXPORTER_DEVICES];
	size_t n;
	bool unnamed;                   /* the text also has devices without a pod, which may be idle */
};

/* A label by which the pods of an exporter are found; false: there are only I of them. */
bool exporter_label(size_t i, struct str *ret_key, struct str *ret_value);
/* Adds the devices in TEXT that a pod has. Texts point into TEXT. */
void exporter_read(struct str text, struct exporter_devices *ret);
/* The sums of the devices of a pod; false: it has none. RET_USE is their mean; negative: unknown. */
bool exporter_sum(const struct exporter_devices *d, struct str ns, struct str pod, int64_t *ret_n, int64_t *ret_use,
	int64_t *ret_memory);

#endif
