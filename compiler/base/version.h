/* version.h - the version in `trainc version` and in machine-readable output. */
#ifndef TRAINC_BASE_VERSION_H
#define TRAINC_BASE_VERSION_H

#define TRAINC_VERSION "0.1.0"

#endif
