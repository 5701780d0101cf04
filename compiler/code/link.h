/*
 * link.h - where a symbolic link leads.
 */
#ifndef TRAINC_CODE_LINK_H
#define TRAINC_CODE_LINK_H

#include "base/str.h"

/*
 * Does a link in DIRECTORY with this target lead out of the directory ROOT, an open descriptor? It does if the target
 * is absolute, if it has too many `..`, or if another link on its way leads out. DIRECTORY is relative to ROOT, and
 * empty for ROOT itself. A link that leads to nothing does not lead out.
 */
bool link_leads_out(int root, struct str directory, struct str target);

#endif
