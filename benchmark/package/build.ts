import { chmodSync, copyFileSync, cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { licensesOf, packagesOf, programs } from "../../scripts/bundle/server-bundle.ts";
import packageJson from "../package.json" with { type: "json" };

/** Builds the npm package in dist: the tester with all its dependencies, for any Node from 22. */
const ROOT = fileURLToPath(new URL("../", import.meta.url));
const DIST = join(ROOT, "dist");

rmSync(DIST, { recursive: true, force: true });
const bundle = await rolldown({
  input: { bin: join(ROOT, "package/bin.ts"), main: join(ROOT, "src/main.ts") },
  platform: "node",
  // Optional native parts of ws, which works without them.
  external: ["bufferutil", "utf-8-validate"],
  plugins: [programs],
  transform: { target: "node22" },
});
const { output } = await bundle.write({
  dir: DIST,
  entryFileNames: "[name].js",
  // All in one folder, so that the relative addresses of programs are right everywhere.
  chunkFileNames: "[name]-[hash].js",
});

chmodSync(join(DIST, "bin.js"), 0o755);
copyFileSync(join(ROOT, "package/README.md"), join(DIST, "README.md"));
copyFileSync(join(ROOT, "../LICENSE"), join(DIST, "LICENSE"));
copyFileSync(join(ROOT, "src/targets/plugin.ts"), join(DIST, "plugin.d.ts"));
for (const folder of ["schema", "examples"])
  cpSync(join(ROOT, folder), join(DIST, folder), { recursive: true });

const { name, version, description, license, type, engines } = packageJson;
const published = {
  name,
  version,
  description,
  license,
  type,
  engines,
  bin: { [name]: "bin.js" },
  exports: { ".": { types: "./plugin.d.ts" }, "./schema/*": "./schema/*" },
};
writeFileSync(join(DIST, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
writeFileSync(join(DIST, "THIRD-PARTY-LICENSES.txt"), licensesOf(packagesOf(modules)));
