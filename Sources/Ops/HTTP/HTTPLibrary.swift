import CHTTP

/// The libmicrohttpd that the process runs with.
package enum HTTPLibrary {
  /// Its version in words.
  package static var version: String { unsafe String(cString: MHD_get_version()) }
}
