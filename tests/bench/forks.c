/*
 * forks.c - COUNT PROGRAM: prints the wall time in microseconds of COUNT processes of a program, each with a pipe for
 * its output, from the first fork to the exit of the last process. No other program that starts and awaits these
 * processes can be faster.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
	int count = argc == 3 ? atoi(argv[1]) : 0, ends[2];
	double start = now();

	for (int i = 0; i < count; i++) {
		char *const words[] = { argv[2], NULL };
		if (pipe2(ends, O_CLOEXEC) < 0)
			return 1;
		pid_t child = fork();
		if (child == 0) {
			dup2(ends[1], STDOUT_FILENO);
			execv(argv[2], words);
			_exit(127);
		}
		if (child < 0)
			return 1;
		close(ends[1]);
	}
	for (int i = 0; i < count; i++)
		if (wait(NULL) < 0)
			return 1;
	printf("%.0f\n", now() - start);
	return count < 1;
}
