import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { goFiles } from "./sdks/go.ts";
import { readModel } from "./sdks/model.ts";
import { pythonFiles } from "./sdks/python.ts";

// `node scripts/build-sdks.ts FOLDER` writes the SDKs for Python and Go: sdk/, with the code generated from the contract.
const folder = process.argv[2];
if (folder === undefined) throw new Error("Pass the folder to write to.");
const ROOT = fileURLToPath(new URL("..", import.meta.url));

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
const model = readModel();
const generated = { "python/fanfare": pythonFiles(model), go: goFiles(model) };

cpSync(join(ROOT, "sdk"), folder, { recursive: true });
for (const [path, files] of Object.entries(generated)) {
  mkdirSync(join(folder, path), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, path, name), content);
}
const project = join(folder, "python/pyproject.toml");
writeFileSync(project, readFileSync(project, "utf8").replace(/^version = .*$/m, `version = "${version}"`));
for (const language of ["python", "go"]) cpSync(join(ROOT, "LICENSE"), join(folder, language, "LICENSE"));
// Only aligns the columns.
spawnSync("gofmt", ["-w", join(folder, "go")], { stdio: "inherit" });
