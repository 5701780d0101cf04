/*
 * spaces.h - which namespaces the controller attends: one, all, or those with a label. What is in other namespaces is
 * neither remembered nor written.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_SPACES_H
#define TRAINC_RUNTIME_SUPERVISE_SPACES_H

#include "runtime/cluster/applyset.h"
#include "runtime/supervise/tenant.h"

/* The label by which a namespace is left to the controller, unless --namespace-selector names another one. */
#define SPACES_LABEL APPLYSET_SPACE_LABEL "=" APPLYSET_SPACE_ENABLED

/* Reads the options about namespaces. Returns false after reporting an error. */
bool spaces_read(struct session *s, struct controller *c);
/* Does the controller attend the namespace NS? */
bool spaces_attend(const struct controller *c, struct str ns);
/*
 * Notes that the namespace NS has the label; true if this is new. Its lane stays closed until spaces_join(), because
 * not all of its objects are known yet.
 */
bool spaces_select(struct controller *c, struct str ns);
/*
 * Notes that the namespace NS has lost the label or was deleted: forgets what is in it, and nothing more is written
 * there. False if it did not have the label.
 */
bool spaces_deselect(struct controller *c, struct str ns);
/* Opens the lanes of all selected namespaces: all of their objects are known now. */
void spaces_join(struct controller *c);
/*
 * A new watch of namespaces reports all that have the label. spaces_unsee() is called before it, spaces_forget_unseen()
 * after its first snapshot: the others have lost the label meanwhile.
 */
void spaces_unsee(struct controller *c);
void spaces_forget_unseen(struct controller *c);

#endif
