import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

// Fails on words in comments, texts or documents that plain English avoids: `node scripts/check-language.ts`.

const FILES = /\.(?:ts|tsx|md|yaml|yml|tpl|sh)$|\/texts\/en\.json$|(?:^|\/)Dockerfile$/;

const PATTERN = /\b(?:anew|(?:every|no|some)body|for ever|whoever)\b/gi;
const INSTEAD =
  "again, or a verb with re-; everyone, no one, someone, forever; or name it: the user, the member, the client";

/** A single word in quotes is data, such as a setting or a name. */
const DATA = /(["'`])\w+\1/g;

/** Not rewritten yet. */
const EXCLUDED = /^web\/|^docs\/benchmarks\/2|^scripts\/check-language\.ts$/;
/** Messages of test users, and a user of Debian. */
const ALLOWED = [/content: "/, /user: nobody$/];

const tracked = execFileSync("git", ["ls-files"], { encoding: "utf8" }).split("\n");
const faults = tracked.filter((path) => FILES.test(path) && !EXCLUDED.test(path)).flatMap(faultsOf);
for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error(`Write instead: ${INSTEAD}`);
  process.exitCode = 1;
}

function faultsOf(path: string): string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line, index) => {
      if (ALLOWED.some((pattern) => pattern.test(line))) return [];
      const words = line.replaceAll(DATA, "").match(PATTERN) ?? [];
      return words.map((word) => `${path}:${index + 1}: "${word}"`);
    });
}
