/*
 * library_memory.h - what happens when libcurl or OpenSSL gets no memory: the same as everywhere else in a command (see
 * memory.h). Their own paths for that case are hardly used by anybody: libcurl 7.88 divides by zero after the table of
 * a new connection could not be allocated, and a header that could not be allocated would be missing in the request.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_LIBRARY_MEMORY_H
#define TRAINC_RUNTIME_CLUSTER_LIBRARY_MEMORY_H

#include <stdbool.h>

/* For OpenSSL; must be called before anything else of it. */
void library_memory_crypto(void);
/* Initializes libcurl; false if it refuses. */
bool library_memory_curl(void);

#endif
