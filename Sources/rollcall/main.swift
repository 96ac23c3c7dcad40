import Glibc

exit(Rollcall.run(Array(CommandLine.arguments.dropFirst())))
