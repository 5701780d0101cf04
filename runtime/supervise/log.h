/*
 * log.h - what the controller writes to standard error: one JSON object a line, for collectors of logs.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_LOG_H
#define TRAINC_RUNTIME_SUPERVISE_LOG_H

#include "base/buf.h"

/* {"time":...,"level":LEVEL,"message":...,"job":...}; JOB, "JAXJob ml/bert", may be empty. */
void log_line(const char *level, struct str job, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
