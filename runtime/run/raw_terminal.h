/*
 * raw_terminal.h - the terminal of this process in raw mode: each key goes to the program that reads it, and the kernel
 * makes no signals of them. However the process ends, short of SIGKILL, the terminal gets its modes back.
 */
#ifndef TRAINC_RUNTIME_RUN_RAW_TERMINAL_H
#define TRAINC_RUNTIME_RUN_RAW_TERMINAL_H

#include <stdbool.h>

/* Puts the terminal FD into raw mode; false if it is not a terminal. Only one terminal can be in raw mode. */
bool raw_terminal_begin(int fd);
/*
 * Shows another screen on the terminal OUT, without a cursor, and returns to the usual one when the modes are restored,
 * however the process ends. Called when the terminal is in raw mode.
 */
void raw_terminal_screen(int out);
/* Restores the modes; harmless if the terminal is not in raw mode. */
void raw_terminal_end(void);
/* Restores the modes, stops the process as a shell does with control-Z, and enters raw mode again afterwards. */
void raw_terminal_stop(void);

#endif
