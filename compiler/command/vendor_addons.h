/*
 * vendor_addons.h - `vendor addons`: writes the versions of the cluster's add-ons into project.tj.
 */
#ifndef TRAINC_COMMAND_VENDOR_ADDONS_H
#define TRAINC_COMMAND_VENDOR_ADDONS_H

#include "command/session.h"

/*
 * Reads the versions in the cluster and writes the block `addons` of project.tj in DIRECTORY, which is created if
 * missing. Returns the exit status.
 */
int vendor_addons(struct session *s, struct str directory);

#endif
