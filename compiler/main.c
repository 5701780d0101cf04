/*
 * main.c - trainc itself: everything but what needs a network.
 */
#include "command/program.h"

int main(int argc, char **argv) { return program_main(argc, argv, NULL); }
