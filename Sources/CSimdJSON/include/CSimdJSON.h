// simdjson for Rollcall's input records: one call parses a record and copies the fields that the
// contract names into a flat struct, so that Swift makes no call for each field.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

#define CSJ_CLOSED __attribute__((enum_extensibility(closed)))
#define CSJ_NAME(name) __attribute__((swift_name(#name)))

typedef enum CSJ_CLOSED csj_kind : uint8_t {
  CSJ_ABSENT CSJ_NAME(absent),  // not there, or null
  CSJ_BOOL CSJ_NAME(bool),
  CSJ_INTEGER CSJ_NAME(integer),  // written without fraction and exponent, and an Int64
  CSJ_NUMBER CSJ_NAME(number),   // any other number
  CSJ_STRING CSJ_NAME(string),
  CSJ_ARRAY CSJ_NAME(array),
  CSJ_OBJECT CSJ_NAME(object),
} csj_kind;

// The words that the contract gives a meaning to.
typedef enum CSJ_CLOSED csj_word : uint8_t {
  CSJ_WORD_NONE CSJ_NAME(none),  // another string, or none
  CSJ_WORD_READ CSJ_NAME(read),
  CSJ_WORD_UNREAD CSJ_NAME(unread),
  CSJ_WORD_DELIVERED CSJ_NAME(delivered),
  CSJ_WORD_GROUP CSJ_NAME(group),
  CSJ_WORD_USER CSJ_NAME(user),
  CSJ_WORD_ACTION CSJ_NAME(action),
  CSJ_WORD_GROUP_MEMBER CSJ_NAME(groupMember),
  CSJ_WORD_ROSTER CSJ_NAME(roster),
  CSJ_WORD_JOINED CSJ_NAME(joined),
  CSJ_WORD_ADDED CSJ_NAME(added),
  CSJ_WORD_REACTIVATED CSJ_NAME(reactivated),
  CSJ_WORD_LEFT CSJ_NAME(left),
  CSJ_WORD_KICKED CSJ_NAME(kicked),
  CSJ_WORD_BANNED CSJ_NAME(banned),
  CSJ_WORD_DEACTIVATED CSJ_NAME(deactivated),
  CSJ_WORD_UNBANNED CSJ_NAME(unbanned),
  CSJ_WORD_SCOPE_CHANGED CSJ_NAME(scopeChanged),
  CSJ_WORD_OWNER CSJ_NAME(owner),
  CSJ_WORD_ADMIN CSJ_NAME(admin),
  CSJ_WORD_MODERATOR CSJ_NAME(moderator),
  CSJ_WORD_EXEMPT CSJ_NAME(exempt),
} csj_word;

typedef struct csj_value {
  // BOOL: 0 or 1. INTEGER: itself. NUMBER: the bits of the double. STRING: where its bytes begin in
  // csj_text(). Else 0.
  int64_t payload;
  // The bytes of a STRING, the entries of an ARRAY, the members of an OBJECT (held at 0xFFFFFF).
  uint32_t count;
  csj_kind kind;
  csj_word word;
} csj_value;

// An object that names a user or a group's member; its fields are ABSENT where it is no object.
typedef struct csj_user {
  csj_value object;
  csj_value uid;
  csj_value scope;
  csj_value receipts;
} csj_user;

// The fields of all three input topics. Of a name that comes twice the last one counts.
typedef struct csj_record {
  csj_value id, messageUId, receiverId, receiverType, category, type, sentAt, parentMessageId;
  csj_value needReceipt, editedAt, action, actionOn, conversationId;
  csj_value receiptType, messageId, messageIds, messageUIds, conversation;
  csj_value deliveredAt, readAt, unreadAt, deletedAt;
  csj_user sender, actionBy, deletedBy;
  // The original in a delete.
  csj_value message, message_id, message_parentMessageId, message_messageUId, message_sentAt;
  csj_user message_sender;
} csj_record;

typedef enum CSJ_CLOSED csj_outcome : uint8_t {
  CSJ_GOOD CSJ_NAME(good),
  CSJ_BAD_JSON CSJ_NAME(badJSON),
  CSJ_NOT_OBJECT CSJ_NAME(notObject),
  CSJ_TOO_LARGE CSJ_NAME(tooLarge),  // over 4 GiB
} csj_outcome;

typedef struct csj_parser csj_parser;

// Bytes that the parser owns.
typedef struct csj_bytes {
  const uint8_t *start;
  size_t count;
} csj_bytes;

// Like Swift, these end the process where there is no memory.
csj_parser *csj_create(void);
void csj_destroy(csj_parser *parser);

// The bytes are copied. What the former call gave is void.
csj_outcome csj_parse_record(
    csj_parser *parser, const uint8_t *_Nullable bytes, size_t count, csj_record *record);

// Where the bytes of all strings of the last record lie.
const uint8_t *csj_text(const csj_parser *parser);

// The text of `message`, which must be in the last record, as it came.
csj_bytes csj_message_text(const csj_parser *parser);
// The text of `deletedBy`, which must be in the last record, as it came.
csj_bytes csj_deleted_by_text(const csj_parser *parser);

// Begins to walk an array of the last record, which must be of the kind ARRAY there.
typedef enum CSJ_CLOSED csj_list : uint8_t {
  CSJ_ACTION_ON CSJ_NAME(actionOn),
  CSJ_MESSAGE_IDS CSJ_NAME(messageIds),
  CSJ_MESSAGE_UIDS CSJ_NAME(messageUIds),
} csj_list;
void csj_begin(csj_parser *parser, csj_list list);

// The next entry; false at the end.
bool csj_next_value(csj_parser *parser, csj_value *value);
bool csj_next_user(csj_parser *parser, csj_user *user);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
