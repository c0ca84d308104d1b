// Runs mongoose's own tests on the embedded database: `node run.ts FOLDER`. The folder is a clone of github.com/Automattic/mongoose at
// the commit in .github/workflows/mongodb.yml, after `npm install --ignore-scripts`. (The npm package doesn't include the tests.)
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { startEmbeddedMongo } from "../../src/index.ts";
import { temporaryFolder } from "../targets.ts";
import { knownFailures } from "./known-failures.ts";

/** The output of mocha's `json` reporter. */
interface Report {
  readonly passes: readonly Test[];
  readonly failures: readonly (Test & { readonly err: { readonly message?: string } })[];
  readonly pending: readonly Test[];
}

interface Test {
  readonly file: string;
  readonly fullTitle: string;
}

const [, , given] = process.argv;
if (given === undefined) throw new Error("Name the folder of a clone of github.com/Automattic/mongoose");
const folder = fs.realpathSync(given);

/** Long enough that results don't depend on the speed of the machine. */
const TIMEOUT_MS = 60_000;

async function runMocha(uri: string, output: string): Promise<Report> {
  const mocha = createRequire(path.join(folder, "package.json")).resolve("mocha/bin/mocha.js");
  // mongoose's own configuration would load mongodb-memory-server, which downloads MongoDB.
  const options = ["--no-config", "--exit", "--timeout", String(TIMEOUT_MS)];
  const report = ["--reporter", "json", "--reporter-option", `output=${output}`];
  const files = ["--ignore", "test/encryption/**/*.test.js", "./test/**/*.test.js"];
  const { START_REPLICA_SET: _, ...environment } = process.env;
  const child = spawn(process.execPath, [mocha, ...options, ...report, ...files], {
    cwd: folder,
    env: { ...environment, MONGOOSE_TEST_URI: uri, NODE_NO_WARNINGS: "1" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await once(child, "exit");
  if (!fs.existsSync(output)) throw new Error("mocha exited without a report");
  return JSON.parse(fs.readFileSync(output, "utf8")) as Report;
}

const dir = temporaryFolder();
const server = await startEmbeddedMongo({ dir: path.join(dir, "data"), listen: { port: 0 } });
let report: Report;
try {
  report = await runMocha(server.uri, path.join(dir, "report.json"));
} finally {
  await server.close();
  fs.rmSync(dir, { recursive: true });
}

const tests = path.join(folder, "test");
const titleOf = ({ file, fullTitle }: Test) => `${path.relative(tests, file)}: ${fullTitle}`;
const listed = new Set(
  Object.values(knownFailures).flatMap((files) =>
    Object.entries(files).flatMap(([file, titles]) => titles.map((title) => `${file}: ${title}`)),
  ),
);
const failed = new Set(report.failures.map(titleOf));
const unexpected = report.failures.filter((test) => !listed.has(titleOf(test)));
const outdated = [...listed].filter((title) => !failed.has(title));
for (const test of unexpected) console.error(`failed: ${titleOf(test)}\n  ${test.err.message}`);
for (const title of outdated) console.error(`listed, but it doesn't fail: ${title}`);
console.info(`${report.passes.length} passed, ${failed.size} failed, ${report.pending.length} skipped`);
if (report.passes.length === 0 || unexpected.length > 0 || outdated.length > 0) process.exitCode = 1;
