/* Shows one process a clock that is behind, and that jumps: librdkafka takes the time of what it
 * produces from it, and nothing else.
 *
 *   CHAOS_BEHIND  how far it is behind, in milliseconds
 *   CHAOS_JITTER  each look at it is up to so many milliseconds further behind
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>

static int64_t behind, jitter;
static int (*real)(struct timeval *restrict, void *restrict);

__attribute__((constructor)) static void prepare(void) {
  const char *text = getenv("CHAOS_BEHIND");
  behind = text ? atoll(text) * 1000 : 0;
  text = getenv("CHAOS_JITTER");
  jitter = text ? atoll(text) * 1000 : 0;
  *(void **)&real = dlsym(RTLD_NEXT, "gettimeofday");
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  static _Thread_local uint64_t state = 0x9E3779B97F4A7C15;
  int result = real(time, zone);
  /* xorshift64. */
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  int64_t now = (int64_t)time->tv_sec * 1000000 + time->tv_usec - behind;
  if (jitter > 0) now -= (int64_t)(state % (uint64_t)jitter);
  time->tv_sec = now / 1000000;
  time->tv_usec = now % 1000000;
  return result;
}
