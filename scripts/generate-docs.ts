import { readFile, writeFile } from "node:fs/promises";
import { asyncApiDocument, errorsPage, manifestModule, openApiDocument } from "@fanfare/contract/docs";
import { configurationPage, envExample } from "@fanfare/kernel/settings";
import { dashboards } from "./dashboards/index.ts";

// Writes the documents that are derived from the contract and the settings, and Grafana's dashboards; with --check it only says whether they are up to date.
const pages: Record<string, string> = {
  "docs/openapi.json": `${JSON.stringify(openApiDocument(), null, 2)}\n`,
  "docs/asyncapi.json": `${JSON.stringify(asyncApiDocument(), null, 2)}\n`,
  "docs/errors.md": errorsPage(),
  "packages/contract/src/manifest.generated.ts": manifestModule(),
  "docs/configuration.md": configurationPage(),
  ".env.example": envExample(),
  ...dashboards,
};

const check = process.argv.includes("--check");
const stale: string[] = [];
for (const [file, content] of Object.entries(pages)) {
  const url = new URL(`../${file}`, import.meta.url);
  const current = await readFile(url, "utf8").catch(() => "");
  if (current === content) continue;
  stale.push(file);
  if (!check) await writeFile(url, content);
}

if (stale.length === 0) console.log("The generated documents are up to date.");
else if (check) {
  console.error(`Not up to date with the code: ${stale.join(", ")}. Run: pnpm docs:generate`);
  process.exitCode = 1;
} else console.log(`Written: ${stale.join(", ")}`);
