import Ops

exit(Rollcall.run(Array(CommandLine.arguments.dropFirst())))
