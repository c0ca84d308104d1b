import { defineConfig } from "vitest/config";

const project = (name: string, include: string[], timeoutMs: number) => ({
  test: { name, include, testTimeout: timeoutMs, hookTimeout: timeoutMs, environment: "node" as const },
});

export default defineConfig({
  test: {
    projects: [
      project(
        "unit",
        [
          "{packages,services}/*/src/**/*.test.ts",
          "{benchmark,web}/src/**/*.test.ts",
          "{scripts,docker}/**/*.test.ts",
        ],
        15_000,
      ),
      // Real servers and sockets; a whole instance starts in some of them.
      project(
        "integration",
        [
          "{packages,services}/*/test/**/*.test.ts",
          "{benchmark,web}/test/**/*.test.ts",
          "test/{integration,policy,security}/**/*.test.ts",
        ],
        60_000,
      ),
      // Clusters of real processes, killed, frozen and cut; one file after the other, for they need the machine.
      { test: { ...project("faults", ["test/faults/**/*.test.ts"], 240_000).test, fileParallelism: false } },
      // Several browsers share the machine: what is waited for may take longer than the usual second.
      {
        test: {
          ...project("e2e", ["test/e2e/**/*.test.ts"], 120_000).test,
          globalSetup: ["test/e2e/build.ts"],
          expect: { poll: { timeout: 15_000 } },
        },
      },
    ],
  },
});
