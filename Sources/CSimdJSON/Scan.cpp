#include "Scan.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace scan {

size_t after_string(Text text, size_t at) {
  for (++at; at < text.count; ++at) {
    if (text.bytes[at] == '\\') {
      ++at;
    } else if (text.bytes[at] == '"') {
      return at + 1;
    }
  }
  return text.count;
}

bool is_deeper(Text text, size_t limit) {
  // Short texts, which is nearly all, cannot be that deep.
  if (text.count < 2 * limit) return false;
  size_t depth = 0;
  for (size_t at = 0; at < text.count;) {
    const uint8_t byte = text.bytes[at];
    if (byte == '"') {
      at = after_string(text, at);
      continue;
    }
    if (byte == '[' || byte == '{') {
      if (++depth > limit) return true;
    } else if ((byte == ']' || byte == '}') && depth > 0) {
      --depth;
    }
    ++at;
  }
  return false;
}

static bool is_space(uint8_t byte) {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

static size_t after_space(Text text, size_t at) {
  while (at < text.count && is_space(text.bytes[at])) ++at;
  return at;
}

/// The index after the value that begins at `at`: after its last bracket, quote or character.
static size_t after_value(Text text, size_t at) {
  size_t depth = 0;
  while (at < text.count) {
    const uint8_t byte = text.bytes[at];
    if (byte == '"') {
      at = after_string(text, at);
      if (depth == 0) return at;
      continue;
    }
    if (byte == '[' || byte == '{') {
      ++depth;
    } else if (byte == ']' || byte == '}') {
      if (depth == 0) return at;
      if (--depth == 0) return at + 1;
    } else if (depth == 0 && (byte == ',' || is_space(byte))) {
      return at;
    }
    ++at;
  }
  return text.count;
}

Text member(Text object, size_t index) {
  size_t at = after_space(object, 0) + 1;
  while (true) {
    at = after_string(object, after_space(object, at));
    at = after_space(object, after_space(object, at) + 1);
    const size_t end = after_value(object, at);
    if (index == 0 || end >= object.count) {
      const size_t start = std::min(at, object.count);
      return {object.bytes + start, std::max(end, start) - start};
    }
    --index;
    at = after_space(object, end) + 1;
  }
}

static bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

/// Whether simdjson refuses an integer with these digits for its size.
static bool is_too_long(std::string_view digits, bool negative) {
  const std::string_view limit = negative ? "9223372036854775808" : "18446744073709551615";
  return digits.size() != limit.size() ? digits.size() > limit.size() : digits > limit;
}

size_t mend_long_integers(Text text, uint8_t *out) {
  size_t written = 0;
  const auto copy = [&](size_t from, size_t to) {
    std::memcpy(out + written, text.bytes + from, to - from);
    written += to - from;
  };
  for (size_t at = 0; at < text.count;) {
    const size_t start = at;
    const uint8_t byte = text.bytes[at];
    if (byte == '"') {
      at = after_string(text, at);
      copy(start, at);
    } else if (is_digit(byte)) {
      while (at < text.count && is_digit(text.bytes[at])) ++at;
      const std::string_view digits(
          reinterpret_cast<const char *>(text.bytes) + start, at - start);
      const uint8_t next = at < text.count ? text.bytes[at] : ' ';
      const uint8_t before = start > 0 ? text.bytes[start - 1] : ' ';
      // Digits of a fraction or an exponent are no integer, nor are those that either follows.
      const bool is_part = before == '.' || before == 'e' || before == 'E' || before == '+';
      const bool is_head = next == '.' || next == 'e' || next == 'E';
      const bool is_exponent =
          before == '-' && start > 1 && (text.bytes[start - 2] | 0x20) == 'e';
      copy(start, at);
      if (!is_part && !is_head && !is_exponent && is_too_long(digits, before == '-')) {
        out[written++] = 'e';
        out[written++] = '0';
      }
    } else {
      ++at;
      copy(start, at);
    }
  }
  return written;
}

}  // namespace scan
