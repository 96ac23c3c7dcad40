#include <librdkafka/rdkafka.h>
// The cluster of pretence inside librdkafka: only tests use it, to have chosen errors answered.
#include <librdkafka/rdkafka_mock.h>
// What a queue of librdkafka's writes to; it is missing from Swift's Glibc module.
#include <sys/eventfd.h>
