/// Gives much memory back in small pieces, so that the allocator puts it in order as it comes.
///
/// glibc's lays what it gets back on lists, and works them off when it is next asked for a large
/// piece: a million small ones would be a tenth of a second for whoever asks, after the step that
/// has given them back. It is asked here, each time that a little has come together.
package struct GivingBack {
  /// What is given back before the allocator is asked, in the units of the budget.
  private static var piece: Int { 1024 }
  /// More than glibc serves from the lists themselves. Of changing sizes: what was asked for last
  /// time but one lies first on the lists, and would do.
  private static var askedBytes: Int { 2048 }

  /// Kept, so that the asking is not optimised away.
  private var asked: [UInt8] = []
  private var turn = 0

  /// Has given nothing back yet.
  package init() {}

  /// Goes on with `drop`, as far as the budget lasts.
  ///
  /// - Returns: whether all is gone.
  package mutating func go(on budget: inout Int, _ drop: (inout Int) -> Bool) -> Bool {
    while budget > 0 {
      var piece = min(budget, Self.piece)
      budget -= piece
      let isDone = drop(&piece)
      budget += piece
      asked = [UInt8](repeating: 0, count: Self.askedBytes << turn)
      turn = (turn + 1) % 3
      if isDone { return true }
    }
    return false
  }
}
