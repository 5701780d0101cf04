/*
 * vendor_addons.h - `vendor addons`: the versions of the cluster's add-ons, written into project.tj.
 */
#ifndef TRAINC_COMMAND_VENDOR_ADDONS_H
#define TRAINC_COMMAND_VENDOR_ADDONS_H

#include "command/session.h"

/* Asks the cluster and writes the block `addons` of project.tj in DIRECTORY; it is made if missing.  The status. */
int vendor_addons(struct session *s, struct str directory);

#endif
