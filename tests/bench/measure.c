/*
 * measure.c - RUNS STATUS OUTPUT PROGRAM ARGUMENT...: prints the shortest wall time and the shortest processor time
 * of RUNS runs in microseconds, and the largest resident set in KiB. Every run must exit with STATUS.
 *
 * The harness is small, because the child's peak memory also counts the memory before exec.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double run(int expected, const char *output, char **argv, struct rusage *used)
{
	double start = now();
	int status;
	pid_t child = fork();

	if (child == 0) {
		int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
		dup2(fd, STDOUT_FILENO);
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		execv(argv[0], argv);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, used) != child)
		return -1;
	double end = now();
	return WIFEXITED(status) && WEXITSTATUS(status) == expected ? end - start : -1;
}

int main(int argc, char **argv)
{
	double least = 0, least_cpu = 0;
	long peak = 0;

	if (argc < 5)
		return 2;
	for (int i = 0, runs = atoi(argv[1]); i < runs; i++) {
		struct rusage used = { 0 };
		double took = run(atoi(argv[2]), argv[3], argv + 4, &used);
		double cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e6 +
		             (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);

		if (took < 0) {
			fprintf(stderr, "measure: %s failed\n", argv[4]);
			return 1;
		}
		least = i == 0 || took < least ? took : least;
		least_cpu = i == 0 || cpu < least_cpu ? cpu : least_cpu;
		peak = used.ru_maxrss > peak ? used.ru_maxrss : peak;
	}
	printf("%.0f %.0f %ld\n", least, least_cpu, peak);
	return 0;
}
