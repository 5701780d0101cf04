/*
 * initialize.h - what client and server agree on at the start of a session, and what the client reports about its
 * workspace later.
 */
#ifndef TRAINC_LSP_INITIALIZE_H
#define TRAINC_LSP_INITIALIZE_H

#include "lsp/server.h"

bool initialize_answer(struct request *r);
void initialize_done(struct request *r);
void initialize_settings(struct request *r);
void initialize_watched(struct request *r);
void initialize_folders(struct request *r);

#endif
