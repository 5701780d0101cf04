/*
 * spark.h - shared by the readers of a SparkApplication: its driver and executors, and their memory.
 */
#ifndef TRAINC_IMPORT_SPARK_H
#define TRAINC_IMPORT_SPARK_H

#include "import/import_set.h"

struct spark {
	struct set set;
	const struct data *driver, *executor;   /* the pods of the driver and of the executors */
};

static inline struct arena *spark_arena(const struct spark *s) { return s->set.m.im->arena; }

/* Returns the memory of a side's JVM in MiB, which is 1 GiB by default; reports an amount that Spark cannot read. */
int64_t spark_memory(struct spark *s, const struct data *side);

/* Does a container of SIDE mount the volume of that name? */
bool spark_mounts(const struct data *side, struct str name);

/*
 * The volumes that settings such as spark.kubernetes.driver.volumes.hostPath.data.options.path add to the pods of SIDE,
 * and their mounts; NULL: none. spark_conf_is_volume() says whether a setting is a part of such a volume.
 */
const struct data *spark_conf_volumes(struct spark *s, const struct data *side);
const struct data *spark_conf_mounts(struct spark *s, const struct data *side);
bool spark_conf_is_volume(struct str key);

/*
 * Makes the template of SIDE's pods as Spark would make it; COMMAND is the command of the main container, or NULL.
 * Reports settings of the side that are left out.
 */
const struct data *spark_template(struct spark *s, const struct data *side, const char *container,
	const struct data *command);

#endif
