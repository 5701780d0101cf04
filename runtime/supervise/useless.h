/*
 * useless.h - objects that the controller cannot use (runtime/cluster/json_stream.h, object_check.h): they are counted,
 * and named in the log and in an Event. Their jobs are held: it is unknown what the job should be, so nothing is done
 * about it until the object changes or is deleted.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_USELESS_H
#define TRAINC_RUNTIME_SUPERVISE_USELESS_H

#include "runtime/supervise/supervise_control.h"

/* The kind of an object, as its watch knows it. */
struct useless_kind {
	struct str group, version, kind;
	struct metrics_kind *count;
};

/* Counts and names an object that was skipped. */
void useless_report(struct controller *c, const struct useless_kind *k, const struct json_skipped *s);
/* Holds the job, or with RUN the run, JOB until useless_end() is called with the uid of the useless object. */
void useless_begin(struct controller *c, const struct useless_kind *k, bool run, const struct json_skipped *s);
/* Ends the hold because of the object UID; returns whether there was one, and sets copies in A of its job. */
bool useless_end(struct controller *c, struct arena *a, bool run, struct str uid, struct str *ret_ns,
	struct str *ret_job);
/*
 * Ends the holds because of objects of the kind K that EXISTS does not know, and calls GONE with the job of each: a
 * watch that was started again does not report what happened before.
 */
void useless_sweep(struct controller *c, const struct useless_kind *k, bool (*exists)(void *to, struct str uid),
	void (*gone)(void *to, struct str ns, struct str job), void *to);
/* May nothing be done about J, because its resource or an object that belongs to it cannot be used? */
bool useless_holds(const struct supervised *j);
void useless_release(struct controller *c);

#endif
