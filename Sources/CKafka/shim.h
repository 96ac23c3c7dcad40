#include <librdkafka/rdkafka.h>
// The cluster of pretence inside librdkafka: only tests use it, to have chosen errors answered.
#include <librdkafka/rdkafka_mock.h>
// What a queue of librdkafka's writes to; Swift's Glibc module has it not.
#include <sys/eventfd.h>
