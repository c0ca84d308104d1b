import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { LongestFirst } from "./test/slowest.ts";

// Inherited by the workers and by every process that a test starts.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url));

// A timeout only ends what hangs: on a busy machine everything may take many times as long, and no test is about speed.
const project = (
  name: string,
  include: string[],
  timeoutMs: number,
  more: TestProjectInlineConfiguration["test"] = {},
) => ({
  test: {
    name,
    include,
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    environment: "node" as const,
    // Starting a process and loading the services for every file would take as long as the tests.
    isolate: false,
    setupFiles: [fileURLToPath(new URL("test/patience.ts", import.meta.url))],
    // As patient as test/patience.ts.
    expect: { poll: { timeout: 60_000 } },
    ...SERVERS,
    // Node runs the TypeScript itself, as it does in production.
    experimental: { viteModuleRunner: false },
    ...more,
  },
});

/** How many files run at once. */
const workersPerCore = (count: number, groupOrder: number) => ({
  maxWorkers: availableParallelism() * count,
  sequence: { groupOrder },
});
/** These never wait: more processes only load the modules more often. */
const UNITS = workersPerCore(1, 0);
/** These wait for servers about half of the time. */
const SERVERS = workersPerCore(3, 1);
/** Pages are too slow if more of them share a core. */
const BROWSERS = workersPerCore(2, 2);

const BUILD_SERVER = "test/support/build-server.ts";

export default defineConfig({
  test: {
    reporters: ["default", "./test/slowest.ts"],
    sequence: { sequencer: LongestFirst },
    // `pnpm test` leaves these out, `pnpm test:all` and CI don't. Each promise of the server also has a test without
    // the tag, and each part of the page its main way.
    tags: [{ name: "long", description: "Matrices, fuzz, whole measurements, and the page's rarer ways." }],
    projects: [
      project(
        "unit",
        [
          "{packages,services}/*/src/**/*.test.ts",
          "benchmark/src/**/*.test.ts",
          "{scripts,docker}/**/*.test.ts",
        ],
        60_000,
        UNITS,
      ),
      // The page, which only Vite can build.
      project("web", ["web/{shells,src,test}/**/*.test.ts"], 240_000, { experimental: {}, ...UNITS }),
      // Real servers and sockets; a whole instance starts in some of them.
      project(
        "integration",
        [
          "{packages,services}/*/test/**/*.test.ts",
          "benchmark/test/**/*.test.ts",
          "test/{integration,policy,security}/**/*.test.ts",
        ],
        240_000,
        { globalSetup: [BUILD_SERVER] },
      ),
      // Clusters of real processes, killed, frozen and cut; most of the time they wait for those to come back.
      project("faults", ["test/faults/**/*.test.ts"], 600_000, { globalSetup: [BUILD_SERVER] }),
      project("e2e", ["test/e2e/**/*.test.ts"], 300_000, {
        globalSetup: ["test/e2e/build.ts", BUILD_SERVER],
        environment: "./test/e2e/environment.ts",
        ...BROWSERS,
      }),
    ],
  },
});
