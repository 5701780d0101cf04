/*
 * main.c - the program trainc, with all commands except those that need a network.
 */
#include "command/program.h"

int main(int argc, char **argv) { return program_main(argc, argv, NULL); }
