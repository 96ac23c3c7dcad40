// What malloc has given out, for the benchmarks; the Glibc module leaves this header out.
#include <malloc.h>
