import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { loadCompose } from "../test/compose-file.ts";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const root = JSON.parse(read("package.json"));
/** What builds, checks and ships. `.ci/run` calls what the README tells people to call: there package.json says which patch it is. */
const SCRIPTS = [
  "docker/Dockerfile",
  "docker/release/release.sh",
  ...readdirSync(new URL("../../.ci", import.meta.url))
    .filter((name) => name !== "run")
    .map((name) => `.ci/${name}`),
];

const settings = {
  TOKEN_SECRET: "t",
  PUBLIC_URL: "u",
  MONGO_PASSWORD: "m",
  NATS_PASSWORD: "n",
  VALKEY_PASSWORD: "v",
};
const ofCompose = Object.values(loadCompose(settings).services).map(({ image }) => image);
const chart = parse(read("docker/kubernetes/chart/values.yaml"));
const ofChart: string[] = [...Object.values<string>(chart.trial.images), chart.livekit.image];
const ofSealos = [
  ...read("docker/sealos/template/fanfare/index.yaml").matchAll(/ image: ([\w./-]+:\S+)$/gm),
].map(([, image]) => image!);

test("all scripts use the same version of pnpm", () => {
  const used = SCRIPTS.flatMap((path) =>
    [...read(path).matchAll(/pnpm@([\w.]+)/g)].map(([, version]) => `pnpm@${version}`),
  );
  expect(used.length).toBeGreaterThan(2);
  expect(new Set(used)).toEqual(new Set([root.packageManager]));
});

test("the image has the version of Node that is used for tests", () => {
  const versions = new Set(Object.values<string>(root.optionalDependencies));
  expect(versions.size).toBe(1);
  expect(read("docker/Dockerfile")).toContain(`ARG NODE_IMAGE=node:${[...versions][0]}-`);
});

test("third-party images are pinned to the same patch version everywhere", () => {
  const others = [...ofCompose, ...ofChart, ...ofSealos].filter((image) => !image.startsWith("fanfare"));
  expect(others.length).toBeGreaterThan(12);
  expect(others.filter((image) => !/:(v?\d+\.\d+\.\d+(-\w+)?|RELEASE\.[\w-]+)$/.test(image))).toEqual([]);
  const names = new Set(others.map((image) => image.split(":")[0]));
  expect(new Set(others).size).toBe(names.size);
});

test("tests use the version of LiveKit that is deployed", () => {
  const tested = /livekit-server@(v[\d.]+)/.exec(read(".ci/fetch"))?.[1];
  expect(ofChart).toContain(`livekit/livekit-server:${tested}`);
  expect(ofCompose).toContain(`livekit/livekit-server:${tested}`);
});

test("packages that CI downloads have a version and a hash", () => {
  const [packages, hashes] = ["package", "sha256"].map((name) =>
    [...read(".ci/fetch").matchAll(new RegExp(`^ +${name}=(.*)$`, "gm"))].map(([, value]) => value),
  );
  expect(packages!.length).toBeGreaterThan(1);
  expect(packages!.filter((one) => !/^[\w-]+==[\w.]+$/.test(one!))).toEqual([]);
  expect(hashes!.filter((one) => /^[0-9a-f]{64}$/.test(one!))).toHaveLength(packages!.length);
  expect(read(".ci/fetch")).toMatch(/^ +sum=h1:\S{44}$/m);
});
