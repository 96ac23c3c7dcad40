// What simdjson's DOM does not tell, read off the text of a document that it has accepted, or that
// it refused for a number only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace scan {

struct Text {
  const uint8_t *bytes;
  size_t count;
};

/// The index after the string that begins (with its quote) at `at`, at most the text's end.
size_t after_string(Text text, size_t at);

/// Whether arrays and objects lie in one another deeper than `limit`.
bool is_deeper(Text text, size_t limit);

/// The text of the value of the `index`th member (from 0) of an accepted object.
Text member(Text object, size_t index);

/// Copies the text, with "e0" after each integer literal that neither Int64 nor UInt64 holds, which
/// simdjson takes for a double then. Returns the length; `out` must hold `mended_bound(text)`
/// bytes.
size_t mend_long_integers(Text text, uint8_t *out);
inline size_t mended_bound(Text text) { return text.count + text.count / 8 + 2; }

}  // namespace scan
