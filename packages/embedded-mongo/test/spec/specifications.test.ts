import fs from "node:fs";
import path from "node:path";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedMongo, startEmbeddedMongo } from "../../src/index.ts";
import { temporaryFolder } from "../targets.ts";
import { FailPointProxy } from "./fail-point-proxy.ts";
import { isMeantFor, readSpecifications } from "./format.ts";
import { knownFailures } from "./known-failures.ts";
import { factsAbout, runTest } from "./run-test.ts";

/** The folder printed by `.ci/fetch mongodb-tests`. */
const FOLDER = process.env["MONGODB_TESTS"];
if (FOLDER === undefined) {
  const hint = "Set MONGODB_TESTS to the folder that .ci/fetch mongodb-tests prints";
  if (process.env["REQUIRE_ALL_TESTS"] === "1")
    throw new Error(`${hint}: REQUIRE_ALL_TESTS=1 allows no test to be skipped.`);
  console.warn(`${hint}: without it, MongoDB's specification tests are skipped.`);
}

/** Tests of transactions require a replica set. */
const REPLICA_SET = { topology: "replicaset" } as const;

describe.skipIf(FOLDER === undefined)("MongoDB's specification tests", { tags: "long" }, () => {
  const dir = temporaryFolder();
  let server: EmbeddedMongo;
  let proxy: Awaited<ReturnType<typeof FailPointProxy.start>>;
  let internal: MongoClient;

  beforeAll(async () => {
    server = await startEmbeddedMongo({ dir, listen: { port: 0 } });
    proxy = await FailPointProxy.start(Number(new URL(server.uri).port));
    internal = await new MongoClient(proxy.uri).connect();
  });

  afterAll(async () => {
    await internal.close();
    await proxy.close();
    await server.close();
    fs.rmSync(dir, { recursive: true });
  });

  async function run(suite: string) {
    const facts = { ...(await factsAbout(internal)), ...(suite.startsWith("transactions") && REPLICA_SET) };
    const passed: string[] = [];
    const failures: Record<string, string> = {};
    let forOthers = 0;
    for (const [name, file] of readSpecifications(path.join(FOLDER!, suite))) {
      for (const test of file.tests) {
        if (!isMeantFor(facts, file, test)) {
          forOthers++;
          continue;
        }
        const title = `${name}: ${test.description}`;
        try {
          await runTest(proxy.uri, internal, file, test);
          passed.push(title);
        } catch (error) {
          failures[title] = (error as Error).message;
        }
      }
    }
    const failed = Object.keys(failures).length;
    console.info(`${suite}: ${passed.length} passed, ${failed} failed, ${forOthers} for other servers`);
    return { passed, failures };
  }

  it("fails the tests that every runner must fail", async () => {
    const { passed } = await run("unified-test-format/valid-fail");
    expect(passed).toEqual([]);
  });

  it.each(Object.entries(knownFailures))("%s: only the listed tests fail", async (suite, reasons) => {
    const { passed, failures } = await run(suite);
    const listed = Object.values(reasons).flat();
    const isListed = (title: string) => listed.includes(title) || listed.includes(title.split(":")[0]!);
    expect(Object.entries(failures).filter(([title]) => !isListed(title))).toEqual([]);
    expect(passed.filter(isListed), "listed, but they pass").toEqual([]);
    const titles = Object.keys(failures);
    expect(
      listed.filter((name) => !titles.some((title) => title === name || title.startsWith(`${name}: `))),
    ).toEqual([]);
  });
});
