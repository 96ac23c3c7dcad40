// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target: the strictest checks that the compiler offers, and each of them an error.
let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Tests: the same, without strict memory safety, which the expansions of `#expect` do not pass.
let strictTests = Array(strict.dropFirst())

let package = Package(
  name: "rollcall",
  products: [.executable(name: "rollcall", targets: ["rollcall"])],
  targets: [
    .systemLibrary(name: "CKafka", pkgConfig: "rdkafka", providers: [.apt(["librdkafka-dev"])]),
    .systemLibrary(
      name: "CHTTP", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .target(
      name: "CSimdJSON", cxxSettings: [.unsafeFlags(["-O3"])],
      linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("m")]),
    .systemLibrary(name: "CMalloc"),
    .target(name: "Core", swiftSettings: strict),
    .target(name: "Wire", dependencies: ["Core", "CSimdJSON"], swiftSettings: strict),
    .target(name: "Kafka", dependencies: ["CKafka"], swiftSettings: strict),
    .target(name: "Worker", dependencies: ["Core", "Wire"], swiftSettings: strict),
    .target(name: "Ops", dependencies: ["CHTTP"], swiftSettings: strict),
    .target(name: "Oracle", swiftSettings: strict),
    .target(
      name: "Lab", dependencies: ["Core", "Wire", "Worker", "Oracle"], swiftSettings: strict),
    .executableTarget(
      name: "rollcall", dependencies: ["Core", "Wire", "Kafka", "Worker", "Ops", "Lab", "Oracle"],
      swiftSettings: strict),
    .executableTarget(
      name: "Benchmarks", dependencies: ["CMalloc", "Core", "Wire", "Worker"],
      swiftSettings: strict),
    // Tests: each target's own, in the folders of its sources, then those of the whole.
    .target(name: "BrokerSupport", path: "Tests/Support/Broker", swiftSettings: strictTests),
    .target(
      name: "GoldenRecords", dependencies: ["Core", "Lab"], path: "Tests/Support/GoldenRecords",
      swiftSettings: strictTests),
    // Without tests, but they look into what they test: other tests build on them.
    .testTarget(
      name: "Scenarios", dependencies: ["Core", "Wire", "Worker", "Oracle"],
      path: "Tests/Support/Scenarios", swiftSettings: strictTests),
    .testTarget(
      name: "Histories", dependencies: ["Oracle", "Lab", "Scenarios"],
      path: "Tests/Support/Histories", swiftSettings: strictTests),
    .target(
      name: "Conformance", dependencies: ["Core", "Worker"], path: "Tests/Support/Conformance",
      swiftSettings: strictTests),
    .testTarget(name: "CoreTests", dependencies: ["Core"], swiftSettings: strictTests),
    .testTarget(
      name: "WireTests",
      dependencies: ["Core", "Wire", "Worker", "Lab", "Oracle", "GoldenRecords"],
      swiftSettings: strictTests),
    .testTarget(
      name: "KafkaTests", dependencies: ["CKafka", "Kafka", "BrokerSupport"],
      swiftSettings: strictTests),
    .testTarget(
      name: "WorkerTests", dependencies: ["Core", "Wire", "Worker", "Lab"],
      swiftSettings: strictTests),
    .testTarget(name: "OpsTests", dependencies: ["Ops"], swiftSettings: strictTests),
    .testTarget(
      name: "OracleTests",
      dependencies: ["Core", "Wire", "Worker", "Oracle", "Lab", "Scenarios", "Histories"],
      swiftSettings: strictTests),
    .testTarget(
      name: "LabTests", dependencies: ["Core", "Wire", "Worker", "Lab", "Conformance", "rollcall"],
      swiftSettings: strictTests),
    .testTarget(
      name: "CommandTests",
      dependencies: ["Core", "Kafka", "Lab", "Ops", "Oracle", "Worker", "rollcall"],
      swiftSettings: strictTests),
    .testTarget(
      name: "ContractTests",
      dependencies: [
        "Core", "Wire", "Worker", "Oracle", "Lab", "GoldenRecords", "Scenarios", "Histories",
        "rollcall",
      ],
      exclude: ["Scenarios/Cases"],
      swiftSettings: strictTests),
    .testTarget(
      name: "IntegrationTests",
      dependencies: [
        "Core", "Wire", "Kafka", "Worker", "Lab", "rollcall", "BrokerSupport", "GoldenRecords",
        "Conformance",
      ],
      swiftSettings: strictTests),
    .testTarget(
      name: "RepositoryTests", dependencies: ["Core", "Worker", "rollcall"],
      swiftSettings: strictTests),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
