/*
 * log.h - the log of the controller on standard error: one JSON object per line, for log collectors.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_LOG_H
#define TRAINC_RUNTIME_SUPERVISE_LOG_H

#include "base/buf.h"

/* Writes {"time":...,"level":LEVEL,"message":...,"job":...}. JOB, such as "JAXJob ml/bert", may be empty. */
void log_line(const char *level, struct str job, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
