import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installVersion, startVersion } from "./earlier-version.ts";
import { fill } from "./fill.ts";

// `node services/cli/test/upgrade/make.ts <tag or commit> <name>`: makes `<name>.tar.gz`, the data folder of that version, and `<name>.json`,
// what clients saw of it. Run it after each release.

const [commit, name] = process.argv.slice(2);
if (commit === undefined || name === undefined) throw new Error("Usage: make.ts <tag or commit> <name>");
const target = (extension: string): string => join(import.meta.dirname, `${name}.${extension}`);

const work = await mkdtemp(join(tmpdir(), "fanfare-version-"));
const [clone, dataDir] = [join(work, "clone"), join(work, "data")];
try {
  installVersion(commit, clone);
  // Stopped at the end, so that everything is written.
  const program = await startVersion(clone, work, dataDir);
  const known = await fill(program.url).finally(() => program.stop());
  await writeFile(target("json"), `${JSON.stringify(known, null, 1)}\n`);
  // Without times, owners and the name of the machine's user.
  const neutral = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
  execFileSync("tar", [...neutral, "-czf", target("tar.gz"), "-C", dataDir, "."]);
} finally {
  await rm(work, { recursive: true, force: true });
}
