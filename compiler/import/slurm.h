/*
 * slurm.h - reads batch scripts of Slurm, which are not manifests: they are recognized by their first line and their
 * #SBATCH lines.
 */
#ifndef TRAINC_IMPORT_SLURM_H
#define TRAINC_IMPORT_SLURM_H

#include "import/import_manifest.h"

bool slurm_is_script(struct str text);
/* Makes the job of a script; returns false after reporting why it could not. */
bool slurm_read(struct import *im, const struct source *source, struct imported *job);

#endif
