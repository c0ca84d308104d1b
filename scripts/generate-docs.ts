import { readFile, writeFile } from "node:fs/promises";
import { apiRecord, breakingChanges, errorsPage, manifestModule } from "@fanfare/contract/docs";
import { configurationPage, envExample } from "@fanfare/kernel/settings";

// Writes the documents derived from the contract and the settings. --check: only reports what is out of date. Fails
// if the API would break clients of the recorded one. --breaking: records it anyway.
const API_RECORD = "packages/contract/api-record.txt";
const record = apiRecord();
const pages: Record<string, string> = {
  [API_RECORD]: `${record.join("\n")}\n`,
  "docs/build/errors.md": errorsPage(),
  "packages/contract/src/manifest.generated.ts": manifestModule(),
  "docs/run/configuration.md": configurationPage(),
  ".env.example": envExample(),
};

const urlOf = (file: string): URL => new URL(`../${file}`, import.meta.url);
const read = (file: string): Promise<string> => readFile(urlOf(file), "utf8").catch(() => "");

const check = process.argv.includes("--check");
const recorded = (await read(API_RECORD)).split("\n").filter((line) => line !== "");
const breaking = process.argv.includes("--breaking") ? [] : breakingChanges(recorded, record);
if (breaking.length > 0) {
  console.error(`These changes break clients of the API in ${API_RECORD}:
  ${breaking.join("\n  ")}
Keep what clients use, beside the new form. If no release has it yet, or the break is intended, run
  pnpm docs:generate --breaking
and commit an intended break as such (\`feat!: …\`): the changelog lists it.`);
  process.exit(1);
}

const stale: string[] = [];
for (const [file, content] of Object.entries(pages)) {
  if ((await read(file)) === content) continue;
  stale.push(file);
  if (!check) await writeFile(urlOf(file), content);
}

if (stale.length === 0) console.log("The generated documents are up to date.");
else if (check) {
  console.error(`Not up to date with the code: ${stale.join(", ")}. Run: pnpm docs:generate`);
  process.exitCode = 1;
} else console.log(`Written: ${stale.join(", ")}`);
