/*
 * packed.h - keeps texts that resemble each other, as the objects of one kind do, in a small part of their size. The
 * first text, and a few other texts that differ much from it, are models. Each text is stored as pieces of a model and
 * the text between these pieces.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_PACKED_H
#define TRAINC_RUNTIME_CLUSTER_PACKED_H

#include "base/buf.h"

enum { PACKED_MODELS = 4 };

struct packed_model;

struct packed {
	struct packed_model *models[PACKED_MODELS];
	size_t nmodels;
};

/* Appends the packed form of TEXT to OUT. It can be unpacked as long as the models exist. */
void packed_add(struct packed *p, struct str text, struct buf *out);
/* Unpacks a packed form into TO, whose earlier content is dropped; returns the text. */
struct str packed_text(const struct packed *p, struct str form, struct buf *to);
void packed_release(struct packed *p);

#endif
