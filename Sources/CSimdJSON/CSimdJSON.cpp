#include "CSimdJSON.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "Scan.hpp"

namespace dom = simdjson::dom;

namespace {

/// The deepest nesting that the contract allows. simdjson counts one more, and an empty array or
/// object not at all.
constexpr size_t max_depth = 1024;

/// The smallest buffer: holds nearly every record, so that it never grows.
constexpr size_t min_capacity = 4096;

/// An input and the memory to parse it, which grows and is used again.
struct Buffer {
  std::unique_ptr<uint8_t[]> bytes;
  size_t capacity = 0;

  void reserve(size_t count) noexcept {
    if (count <= capacity) return;
    capacity = std::max({count, 2 * capacity, min_capacity});
    bytes.reset(new uint8_t[capacity + simdjson::SIMDJSON_PADDING]());
  }
};

}  // namespace

struct csj_parser {
  Buffer input;
  /// The input with long integers mended; rarely used.
  Buffer mended;
  dom::parser parser;
  dom::document document;
  size_t count = 0;
  /// The number of the member `message`.
  size_t message_index = 0;
  size_t deleted_by_index = 0;
  dom::array lists[CSJ_MESSAGE_UIDS + 1];
  dom::array::iterator next;
  dom::array::iterator end;
};

namespace {

simdjson::error_code parse_buffer(
    csj_parser &state, const Buffer &buffer, size_t count, dom::element &root) {
  if (state.document.capacity() < buffer.capacity || state.parser.capacity() < buffer.capacity) {
    SIMDJSON_TRY(state.document.allocate(buffer.capacity));
    SIMDJSON_TRY(state.parser.allocate(buffer.capacity, max_depth + 1));
  }
  return state.parser.parse_into_document(state.document, buffer.bytes.get(), count, false)
      .get(root);
}

csj_outcome parse(csj_parser &state, const uint8_t *bytes, size_t count, dom::object &object) {
  if (count > simdjson::SIMDJSON_MAXSIZE_BYTES) return CSJ_TOO_LARGE;
  state.input.reserve(count);
  if (count > 0) std::memcpy(state.input.bytes.get(), bytes, count);
  std::memset(state.input.bytes.get() + count, 0, simdjson::SIMDJSON_PADDING);
  state.count = count;

  dom::element root;
  simdjson::error_code error = parse_buffer(state, state.input, count, root);
  if (error == simdjson::NUMBER_ERROR) {
    const scan::Text text{state.input.bytes.get(), count};
    state.mended.reserve(scan::mended_bound(text));
    const size_t length = scan::mend_long_integers(text, state.mended.bytes.get());
    std::memset(state.mended.bytes.get() + length, 0, simdjson::SIMDJSON_PADDING);
    if (length > count) error = parse_buffer(state, state.mended, length, root);
  }
  if (error == simdjson::MEMALLOC) std::abort();
  if (error == simdjson::CAPACITY) return CSJ_TOO_LARGE;
  if (error || scan::is_deeper({state.input.bytes.get(), count}, max_depth)) return CSJ_BAD_JSON;
  return root.get(object) ? CSJ_NOT_OBJECT : CSJ_GOOD;
}

/// The word that a string is.
csj_word word_of(std::string_view text) {
  switch (text.size()) {
    case 4:
      if (text == "read") return CSJ_WORD_READ;
      if (text == "user") return CSJ_WORD_USER;
      if (text == "left") return CSJ_WORD_LEFT;
      break;
    case 5:
      if (text == "group") return CSJ_WORD_GROUP;
      if (text == "added") return CSJ_WORD_ADDED;
      if (text == "owner") return CSJ_WORD_OWNER;
      if (text == "admin") return CSJ_WORD_ADMIN;
      break;
    case 6:
      if (text == "unread") return CSJ_WORD_UNREAD;
      if (text == "action") return CSJ_WORD_ACTION;
      if (text == "roster") return CSJ_WORD_ROSTER;
      if (text == "joined") return CSJ_WORD_JOINED;
      if (text == "kicked") return CSJ_WORD_KICKED;
      if (text == "banned") return CSJ_WORD_BANNED;
      if (text == "exempt") return CSJ_WORD_EXEMPT;
      break;
    case 8:
      if (text == "unbanned") return CSJ_WORD_UNBANNED;
      break;
    case 9:
      if (text == "delivered") return CSJ_WORD_DELIVERED;
      if (text == "moderator") return CSJ_WORD_MODERATOR;
      break;
    case 11:
      if (text == "groupMember") return CSJ_WORD_GROUP_MEMBER;
      if (text == "reactivated") return CSJ_WORD_REACTIVATED;
      if (text == "deactivated") return CSJ_WORD_DEACTIVATED;
      break;
    case 12:
      if (text == "scopeChanged") return CSJ_WORD_SCOPE_CHANGED;
      break;
  }
  return CSJ_WORD_NONE;
}

csj_value value_of(const csj_parser &state, dom::element element) {
  csj_value value{};
  switch (element.type()) {
    case dom::element_type::NULL_VALUE:
      break;
    case dom::element_type::BOOL:
      value.kind = CSJ_BOOL;
      value.payload = element.get_bool().value_unsafe();
      break;
    case dom::element_type::INT64:
      value.kind = CSJ_INTEGER;
      value.payload = element.get_int64().value_unsafe();
      break;
    case dom::element_type::UINT64:  // simdjson's word for an integer above Int64
    case dom::element_type::DOUBLE: {
      const double number = element.get_double().value_unsafe();
      value.kind = CSJ_NUMBER;
      std::memcpy(&value.payload, &number, sizeof number);
      break;
    }
    case dom::element_type::STRING: {
      const std::string_view text = element.get_string().value_unsafe();
      value.kind = CSJ_STRING;
      value.payload = reinterpret_cast<const uint8_t *>(text.data()) - csj_text(&state);
      value.count = uint32_t(text.size());
      value.word = word_of(text);
      break;
    }
    case dom::element_type::ARRAY:
      value.kind = CSJ_ARRAY;
      value.count = uint32_t(element.get_array().value_unsafe().size());
      break;
    case dom::element_type::OBJECT:
      value.kind = CSJ_OBJECT;
      value.count = uint32_t(element.get_object().value_unsafe().size());
      break;
  }
  return value;
}

csj_user user_of(const csj_parser &state, dom::element element) {
  csj_user user{};
  user.object = value_of(state, element);
  if (user.object.kind != CSJ_OBJECT) return user;
  for (const auto field : element.get_object().value_unsafe()) {
    if (field.key == "uid") {
      user.uid = value_of(state, field.value);
    } else if (field.key == "scope") {
      user.scope = value_of(state, field.value);
    } else if (field.key == "receipts") {
      user.receipts = value_of(state, field.value);
    }
  }
  return user;
}

void take_original(const csj_parser &state, dom::element element, csj_record &record) {
  record.message = value_of(state, element);
  record.message_id = {};
  record.message_parentMessageId = {};
  record.message_messageUId = {};
  record.message_sentAt = {};
  record.message_sender = {};
  if (record.message.kind != CSJ_OBJECT) return;
  for (const auto field : element.get_object().value_unsafe()) {
    if (field.key == "id") {
      record.message_id = value_of(state, field.value);
    } else if (field.key == "sender") {
      record.message_sender = user_of(state, field.value);
    } else if (field.key == "parentMessageId") {
      record.message_parentMessageId = value_of(state, field.value);
    } else if (field.key == "messageUId") {
      record.message_messageUId = value_of(state, field.value);
    } else if (field.key == "sentAt") {
      record.message_sentAt = value_of(state, field.value);
    }
  }
}

/// The place of a field that holds one plain value; null for another name.
csj_value *place(csj_record &record, std::string_view key) {
  switch (key.size()) {
    case 2:
      return key == "id" ? &record.id : nullptr;
    case 4:
      return key == "type" ? &record.type : nullptr;
    case 6:
      return key == "sentAt"   ? &record.sentAt
             : key == "readAt" ? &record.readAt
             : key == "action" ? &record.action
                               : nullptr;
    case 8:
      return key == "category"   ? &record.category
             : key == "editedAt" ? &record.editedAt
             : key == "unreadAt" ? &record.unreadAt
                                 : nullptr;
    case 9:
      return key == "messageId"   ? &record.messageId
             : key == "deletedAt" ? &record.deletedAt
                                  : nullptr;
    case 10:
      return key == "receiverId"   ? &record.receiverId
             : key == "messageUId" ? &record.messageUId
                                   : nullptr;
    case 11:
      return key == "receiptType"   ? &record.receiptType
             : key == "deliveredAt" ? &record.deliveredAt
             : key == "needReceipt" ? &record.needReceipt
                                    : nullptr;
    case 12:
      return key == "receiverType"   ? &record.receiverType
             : key == "conversation" ? &record.conversation
                                     : nullptr;
    case 14:
      return key == "conversationId" ? &record.conversationId : nullptr;
    case 15:
      return key == "parentMessageId" ? &record.parentMessageId : nullptr;
    default:
      return nullptr;
  }
}

void take_list(
    csj_parser &state, dom::element element, csj_list list, csj_value &place) {
  place = value_of(state, element);
  if (place.kind == CSJ_ARRAY) state.lists[list] = element.get_array().value_unsafe();
}

void take_structured(
    csj_parser &state, const dom::key_value_pair &field, size_t index, csj_record &record) {
  if (field.key == "sender") {
    record.sender = user_of(state, field.value);
  } else if (field.key == "actionBy") {
    record.actionBy = user_of(state, field.value);
  } else if (field.key == "deletedBy") {
    record.deletedBy = user_of(state, field.value);
    state.deleted_by_index = index;
  } else if (field.key == "actionOn") {
    take_list(state, field.value, CSJ_ACTION_ON, record.actionOn);
  } else if (field.key == "messageIds") {
    take_list(state, field.value, CSJ_MESSAGE_IDS, record.messageIds);
  } else if (field.key == "messageUIds") {
    take_list(state, field.value, CSJ_MESSAGE_UIDS, record.messageUIds);
  } else if (field.key == "message") {
    take_original(state, field.value, record);
    state.message_index = index;
  }
}

}  // namespace

csj_parser *csj_create(void) {
  return []() noexcept { return new csj_parser; }();
}

void csj_destroy(csj_parser *parser) { delete parser; }

csj_outcome csj_parse_record(
    csj_parser *parser, const uint8_t *bytes, size_t count, csj_record *record) {
  std::memset(record, 0, sizeof *record);
  dom::object object;
  const csj_outcome outcome = parse(*parser, bytes, count, object);
  if (outcome != CSJ_GOOD) return outcome;
  size_t index = 0;
  for (const auto field : object) {
    if (csj_value *plain = place(*record, field.key)) {
      *plain = value_of(*parser, field.value);
    } else {
      take_structured(*parser, field, index, *record);
    }
    ++index;
  }
  return CSJ_GOOD;
}

const uint8_t *csj_text(const csj_parser *parser) { return parser->document.string_buf.get(); }

static csj_bytes member_text(const csj_parser *parser, size_t index) {
  const scan::Text raw = scan::member({parser->input.bytes.get(), parser->count}, index);
  return {raw.bytes, raw.count};
}

csj_bytes csj_message_text(const csj_parser *parser) {
  return member_text(parser, parser->message_index);
}

csj_bytes csj_deleted_by_text(const csj_parser *parser) {
  return member_text(parser, parser->deleted_by_index);
}

void csj_begin(csj_parser *parser, csj_list list) {
  parser->next = parser->lists[list].begin();
  parser->end = parser->lists[list].end();
}

bool csj_next_value(csj_parser *parser, csj_value *value) {
  if (!(parser->next != parser->end)) return false;
  *value = value_of(*parser, *parser->next);
  ++parser->next;
  return true;
}

bool csj_next_user(csj_parser *parser, csj_user *user) {
  if (!(parser->next != parser->end)) return false;
  *user = user_of(*parser, *parser->next);
  ++parser->next;
  return true;
}
