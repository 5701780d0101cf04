/*
 * sink.h - the destination of written objects: a stream, a file, a buffer.
 */
#ifndef TRAINC_OBJECTS_SINK_H
#define TRAINC_OBJECTS_SINK_H

#include <stdbool.h>
#include <stddef.h>

/* WRITE takes N bytes; if it returns false, writing stops. */
struct emit_sink {
	void *context;
	bool (*write)(void *context, const char *bytes, size_t n);
};

#endif
