import { chmodSync, copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown, type OutputChunk } from "rolldown";
import { buildPages } from "../../../scripts/build.ts";
import {
  copyServerFiles,
  dependenciesOf,
  licensesOf,
  packagesOf,
  SERVER_INPUT,
  SERVER_OUTPUT,
} from "../../../scripts/bundle/server-bundle.ts";
import rootPackageJson from "../../../package.json" with { type: "json" };

/** Builds the npm package `fanfare` in dist: the server with the command line, the web client and the documentation. */
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const HERE = join(ROOT, "services/cli/package");
const DIST = join(ROOT, "services/cli/dist");

const versionOf = (folder: string): string =>
  (JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")) as { version: string }).version;

await buildPages("web", "docs");
rmSync(DIST, { recursive: true, force: true });
const server = await rolldown({
  ...SERVER_INPUT,
  input: { main: join(HERE, "main.ts") },
  // Its native code is a dependency.
  external: ["sharp"],
});
const bin = await rolldown({
  input: { bin: join(HERE, "bin.ts") },
  platform: "node",
  transform: { target: "node20" },
});
const written = [
  await server.write({ ...SERVER_OUTPUT, dir: DIST }),
  await bin.write({ dir: DIST, entryFileNames: "[name].js" }),
];
chmodSync(join(DIST, "bin.js"), 0o755);
copyServerFiles(DIST);
copyFileSync(join(HERE, "README.md"), join(DIST, "README.md"));
copyFileSync(join(ROOT, "LICENSE"), join(DIST, "LICENSE"));
for (const folder of ["web", "docs"])
  cpSync(join(ROOT, folder, "dist"), join(DIST, folder), { recursive: true });
cpSync(join(ROOT, "plugins"), join(DIST, "plugins"), { recursive: true });

const { name, version, license, type, optionalDependencies } = rootPackageJson;
const published = {
  name,
  version,
  description: "Self-hosted team chat: groups, channels, threads and direct messages.",
  license,
  type,
  engines: { node: ">=20" },
  bin: { [name]: "bin.js" },
  dependencies: { sharp: versionOf("services/file/node_modules/sharp") },
  // The Node that runs Fanfare, if npm runs with an older one.
  optionalDependencies,
};
writeFileSync(join(DIST, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
const chunks = written
  .flatMap(({ output }) => output)
  .filter((file): file is OutputChunk => file.type === "chunk");
const { dependencies } = JSON.parse(readFileSync(join(ROOT, "web/package.json"), "utf8")) as {
  dependencies: Record<string, string>;
};
const folders = [
  ...packagesOf(chunks.flatMap(({ moduleIds }) => moduleIds)),
  ...dependenciesOf(join(ROOT, "web"), [...Object.keys(dependencies), "emojibase-data"]),
  ...dependenciesOf(join(ROOT, "docs"), ["vitepress"]),
];
writeFileSync(join(DIST, "THIRD-PARTY-LICENSES.txt"), licensesOf(folders));
