/*
 * device.h - finds the accelerators for the devices that a container requests. The accelerators of the library are
 * tried with the number of devices in the manifest, or with the topology in its node labels. An accelerator fits if
 * its resource, devices per pod and node labels are those of the manifest. A device that the library does not know is
 * declared in the program.
 */
#ifndef TRAINC_IMPORT_DEVICE_H
#define TRAINC_IMPORT_DEVICE_H

#include "import/import_manifest.h"
#include "plan/plan.h"

struct device {
	struct str resource;
	struct str word;                /* name of the accelerator: "h100" */
	struct str spelling;            /* the accelerator as a program writes it: "nvidia.h100(8)" */
	struct str module;              /* module of the library: "nvidia"; empty for an accelerator that the program
					 * declares */
	struct line *declaration;       /* declaration of the accelerator in the program */
	int64_t per_pod, pods;
	struct plan_pairs node;
	struct plan_str *tolerate;
	size_t ntolerate;
	bool more;                      /* the accelerator adds environment or mounts */
	/* declared in a configuration of a controller, so it counts as a device whatever its name is */
	bool configured;
};

/*
 * Returns the accelerators of the library that give COUNT devices of a resource, for any of the topologies or for the
 * count.
 */
struct import_devices {
	struct device *at;
	size_t n;
};
const struct import_devices *devices_probe(struct import *im, struct str resource, int64_t count,
	const struct str *topologies, size_t n);

/* Does the name already have a meaning in the program, as a value, function, module or accelerator? */
bool device_word_is_taken(const struct import *im, struct str word);
/* Adds a declaration `accelerator WORD(count: int(1..)) { }` to the program, with a unique WORD. Returns its body. */
struct device *device_declare(struct import *im, struct str resource);
/* Returns the accelerator that the program declares for the resource, or NULL. */
struct device *device_find(const struct import *im, struct str resource);
/* Does the resource stand for devices, and not for cpu, memory and the like? */
bool device_is(const struct import *im, struct str resource);

#endif
