import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { describeEnvironment } from "../report/environment.ts";
import { currentLimits, findObstacles, type Limits, type Needs } from "./preflight.ts";

const needs: Needs = {
  users: 10_000,
  messages: 100,
  kind: "light",
  isLocalServer: true,
  canSpreadAddresses: true,
};
const limits: Limits = {
  openFiles: 20_000,
  ports: { first: 32_768, last: 60_999 },
  memoryBytes: 8 * 2 ** 30,
};

test("enough of everything", () => {
  expect(findObstacles(needs, limits)).toEqual([]);
  expect(findObstacles({ ...needs, users: 10 }, currentLimits())).toEqual([]);
});

test("too few files: states the number and the command", () => {
  const [obstacle] = findObstacles(needs, { ...limits, openFiles: 1024 });
  expect(obstacle).toMatchObject({ name: "descriptors" });
  expect(obstacle!.why).toMatch(/need 10200 open files, but the limit is 1024/);
  expect(obstacle!.why).toMatch("ulimit -n 10200");
});

test("too few ports, unless several addresses share the load", () => {
  const many = { ...needs, users: 100_000 };
  const wide = { ...limits, openFiles: null, memoryBytes: 64 * 2 ** 30 };
  expect(findObstacles(many, wide)).toEqual([]);
  const [obstacle] = findObstacles({ ...many, canSpreadAddresses: false }, wide);
  expect(obstacle).toMatchObject({ name: "ports", why: expect.stringContaining("ip_local_port_range") });
});

test("too little memory", () => {
  const [obstacle] = findObstacles(needs, { ...limits, memoryBytes: 100 * 2 ** 20 });
  expect(obstacle).toMatchObject({ name: "memory", why: expect.stringContaining("MiB are available") });
});

test("the environment is described", () => {
  expect(describeEnvironment()).toMatchObject({ node: process.version, cores: expect.any(Number) as number });
});

test("the environment has the commit, in any working directory", () => {
  const git = spawnSync("git", ["rev-parse", "--short=12", "HEAD"], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  const commit = git.status === 0 ? git.stdout.trim() : null;
  const before = process.cwd();
  process.chdir("/");
  try {
    expect(describeEnvironment().commit?.replace("+changes", "") ?? null).toBe(commit);
  } finally {
    process.chdir(before);
  }
});
