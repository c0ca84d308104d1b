import { defineConfig } from "vitest/config";

const project = (name: string, include: string[], timeoutMs: number) => ({
  test: { name, include, testTimeout: timeoutMs, hookTimeout: timeoutMs, environment: "node" as const },
});

export default defineConfig({
  test: {
    projects: [
      project(
        "unit",
        ["{packages,services}/*/src/**/*.test.ts", "benchmark/src/**/*.test.ts", "scripts/**/*.test.ts"],
        15_000,
      ),
      // Real servers and sockets; a whole instance starts in some of them.
      project(
        "integration",
        [
          "{packages,services}/*/test/**/*.test.ts",
          "benchmark/test/**/*.test.ts",
          "test/{integration,policy}/**/*.test.ts",
        ],
        60_000,
      ),
      project("e2e", ["test/e2e/**/*.test.ts"], 120_000),
    ],
  },
});
