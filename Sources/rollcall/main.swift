import Glibc

// A reader that has gone is an error of the write, not the end of a worker.
signal(SIGPIPE, SIG_IGN)
exit(Rollcall.run(Array(CommandLine.arguments.dropFirst())))
