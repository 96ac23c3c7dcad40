/// The shortest part of a list found for which something still fails, its order kept.
///
/// Delta debugging: all elements are left out, then half of them, then a quarter, down to single
/// ones, the last elements first; what fails without them goes on without them. Single elements are
/// tried until none can be left out any more. From Andreas Zeller and Ralf Hildebrandt,
/// "Simplifying and Isolating Failure-Inducing Input", IEEE Transactions on Software Engineering
/// 28 (2), 2002; of its two moves the one that tries complements. A list of `n` elements of which
/// `k` are needed takes some `k * log(n)` tries, in the worst case `n * n`.
///
/// It draws nothing: the same list and answers give the same part.
///
/// - Parameters:
///   - list: what fails; a list that does not is given back as it is.
///   - limit: the most calls of `fails`; once they are used up, the shortest part so far is given.
///   - fails: whether a part of the list fails.
package func shrunk<Element, Failure: Error>(
  _ list: [Element], limit: Int, whileFailing fails: ([Element]) throws(Failure) -> Bool
) throws(Failure) -> [Element] {
  var left = limit
  func isFailing(_ part: [Element]) throws(Failure) -> Bool {
    left -= 1
    return try fails(part)
  }
  guard left > 0, try isFailing(list) else { return list }
  var kept = list
  var size = list.count
  while size > 0 {
    let before = kept.count
    var end = kept.count
    while end > 0, left > 0 {
      let start = max(0, end - size)
      let rest = Array(kept[..<start] + kept[end...])
      if try isFailing(rest) { kept = rest }
      end = start
    }
    guard left > 0 else { break }
    // Where one was left out, others may have become needless.
    if size == 1, kept.count < before { continue }
    size = size == 1 ? 0 : min((size + 1) / 2, max(1, kept.count))
  }
  return kept
}
