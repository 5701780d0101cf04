/* version.h - what `trainc version` and machine-readable output say. */
#ifndef TRAINC_BASE_VERSION_H
#define TRAINC_BASE_VERSION_H

#define TRAINC_VERSION "0.1.0"

#endif
