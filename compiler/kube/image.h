/*
 * image.h - checks whether a text is an image reference, such as registry.example.com/team/train:1.0.
 */
#ifndef TRAINC_KUBE_IMAGE_H
#define TRAINC_KUBE_IMAGE_H

#include "base/str.h"

/* Returns why a text is not an image reference, as a sentence about "it"; NULL if it is one. */
const char *kube_image_fault(struct str image);

#endif
