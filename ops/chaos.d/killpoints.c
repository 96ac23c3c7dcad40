/* Kills a worker, or the broker that it talks to, at an exact point of a transaction.
 *
 * `ops/chaos` builds this and loads it (LD_PRELOAD) into one worker, which is the same program as
 * ever: what it calls in librdkafka, and what librdkafka calls in the C library, passes here.
 *
 *   CHAOS_POINT   1 after a poll that brought records, before they are produced
 *                         2 after a record is produced, before it is delivered
 *                         3 after all records are delivered, before the offsets are sent
 *                         4 after the offsets are sent
 *                         5 in the commit, before its request leaves
 *                         6 after the broker took the commit, before its answer is read
 *                         7 after the answer, before the next transaction begins
 *                         8 in a restore, after a poll that brought records of the changelog
 *   CHAOS_PASS    at which pass of the point, from 1
 *   CHAOS_REPORT  a file to which a line is written just before
 *   CHAOS_BROKERS port:pid,… of the brokers; one of them is killed instead of the worker:
 *                         from point 3 on the coordinator of the transaction, else the first
 *   CHAOS_STATE   the changelog's topic
 *
 * It fires once. A broker that is killed at point 6 takes its answer with it: the worker sees the
 * connection break, and cannot know that the commit was taken.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <librdkafka/rdkafka.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum point {
  AFTER_POLL = 1,
  AFTER_PRODUCE,
  BEFORE_OFFSETS,
  AFTER_OFFSETS,
  BEFORE_COMMIT_LEAVES,
  BEFORE_COMMIT_ANSWER,
  AFTER_COMMIT,
  IN_RESTORE
};

/* Kafka's numbers of the requests that go to the coordinator of a transaction. */
enum request { ADD_PARTITIONS = 24, ADD_OFFSETS = 25, END_TRANSACTION = 26 };

/* What a request begins with: length, number, version, correlation. */
enum { HEADER_BYTES = 12, SMALL_REQUEST = 4096 };

static int wanted_point;
static long wanted_pass;
static const char *brokers;
static const char *state_topic;
static const char *report;
static atomic_long passes;
static atomic_int coordinator_port;
static atomic_int in_commit;
static atomic_int commit_socket = -1;
static atomic_uint commit_correlation;

static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

__attribute__((constructor)) static void prepare(void) {
  wanted_point = atoi(setting("CHAOS_POINT"));
  wanted_pass = atol(setting("CHAOS_PASS"));
  brokers = setting("CHAOS_BROKERS");
  state_topic = setting("CHAOS_STATE");
  report = setting("CHAOS_REPORT");
}

/* The process of the broker at a port, or of the first one. */
static pid_t broker_at(int port) {
  pid_t first = 0;
  for (const char *entry = brokers; entry && *entry; entry = strchr(entry, ',')) {
    int at, pid;
    if (*entry == ',') entry++;
    if (sscanf(entry, "%d:%d", &at, &pid) != 2) break;
    if (!first) first = pid;
    if (at == port) return pid;
  }
  return first;
}

/* Passes a point. Returns whether a broker was killed now; a killed worker never returns. */
static int pass(int point) {
  if (point != wanted_point || atomic_fetch_add(&passes, 1) + 1 != wanted_pass) return 0;
  pid_t victim = getpid();
  if (*brokers) victim = broker_at(point >= BEFORE_OFFSETS && point <= AFTER_COMMIT
                                       ? atomic_load(&coordinator_port) : 0);
  int file = open(report, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file >= 0) {
    dprintf(file, "%d %ld %d\n", point, wanted_pass, victim);
    close(file);
  }
  kill(victim, SIGKILL);
  return 1;
}

/* What is passed on to. */
#define NEXT(name) \
  static typeof(name) *next; \
  if (!next) next = (typeof(next))dlsym(RTLD_NEXT, #name)

ssize_t rd_kafka_consume_batch_queue(rd_kafka_queue_t *queue, int timeout,
                                     rd_kafka_message_t **messages, size_t size) {
  NEXT(rd_kafka_consume_batch_queue);
  ssize_t count = next(queue, timeout, messages, size);
  for (ssize_t i = 0; i < count; i++) {
    if (messages[i]->err) continue;
    int is_state = strcmp(rd_kafka_topic_name(messages[i]->rkt), state_topic) == 0;
    pass(is_state ? IN_RESTORE : AFTER_POLL);
    break;
  }
  return count;
}

int rd_kafka_produce(rd_kafka_topic_t *topic, int32_t partition, int flags, void *value,
                     size_t value_size, const void *key, size_t key_size, void *opaque) {
  NEXT(rd_kafka_produce);
  int failed = next(topic, partition, flags, value, value_size, key, key_size, opaque);
  if (!failed) pass(AFTER_PRODUCE);
  return failed;
}

rd_kafka_error_t *rd_kafka_send_offsets_to_transaction(
    rd_kafka_t *client, const rd_kafka_topic_partition_list_t *offsets,
    const rd_kafka_consumer_group_metadata_t *group, int timeout) {
  NEXT(rd_kafka_send_offsets_to_transaction);
  if (wanted_point == BEFORE_OFFSETS && !rd_kafka_flush(client, timeout)) pass(BEFORE_OFFSETS);
  rd_kafka_error_t *error = next(client, offsets, group, timeout);
  if (!error) pass(AFTER_OFFSETS);
  return error;
}

rd_kafka_error_t *rd_kafka_commit_transaction(rd_kafka_t *client, int timeout) {
  NEXT(rd_kafka_commit_transaction);
  atomic_store(&in_commit, 1);
  rd_kafka_error_t *error = next(client, timeout);
  atomic_store(&in_commit, 0);
  if (!error) pass(AFTER_COMMIT);
  return error;
}

/* Copies what a message begins with. */
static size_t beginning(const struct msghdr *message, size_t length, unsigned char *bytes,
                        size_t wanted) {
  size_t count = 0;
  for (size_t i = 0; i < message->msg_iovlen && count < wanted && count < length; i++) {
    size_t part = message->msg_iov[i].iov_len;
    if (part > wanted - count) part = wanted - count;
    if (part > length - count) part = length - count;
    memcpy(bytes + count, message->msg_iov[i].iov_base, part);
    count += part;
  }
  return count;
}

static uint32_t number(const unsigned char *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static int peer_port(int socket) {
  struct sockaddr_storage address = {0};
  socklen_t size = sizeof address;
  if (getpeername(socket, (struct sockaddr *)&address, &size)) return 0;
  if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
  return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
  NEXT(sendmsg);
  size_t length = 0;
  for (size_t i = 0; i < message->msg_iovlen; i++) length += message->msg_iov[i].iov_len;
  unsigned char bytes[HEADER_BYTES];
  /* A whole small request, and not the rest of a large one that happens to look like it. */
  if (length < SMALL_REQUEST && beginning(message, length, bytes, HEADER_BYTES) == HEADER_BYTES &&
      number(bytes) == length - 4) {
    int request = bytes[4] << 8 | bytes[5];
    if (request >= ADD_PARTITIONS && request <= END_TRANSACTION)
      atomic_store(&coordinator_port, peer_port(socket));
    /* An abort ends a transaction by the same request. */
    if (request == END_TRANSACTION && atomic_load(&in_commit)) {
      pass(BEFORE_COMMIT_LEAVES);
      atomic_store(&commit_correlation, number(bytes + 8));
      atomic_store(&commit_socket, socket);
    }
  }
  return next(socket, message, flags);
}

ssize_t recvmsg(int socket, struct msghdr *message, int flags) {
  NEXT(recvmsg);
  ssize_t length = next(socket, message, flags);
  unsigned char bytes[8];
  if (length < 8 || socket != atomic_load(&commit_socket)) return length;
  /* An answer begins with its length and the correlation of its request. */
  if (beginning(message, (size_t)length, bytes, 8) < 8 ||
      number(bytes + 4) != atomic_load(&commit_correlation))
    return length;
  atomic_store(&commit_socket, -1);
  if (!pass(BEFORE_COMMIT_ANSWER)) return length;
  errno = ECONNRESET;
  return -1;
}
