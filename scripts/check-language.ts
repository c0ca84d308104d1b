import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

// Fails where comments, texts or documents have words that docs and interfaces in plain English do without: `node scripts/check-language.ts`.

const FILES = /\.(?:ts|tsx|md|yaml|yml|tpl|sh)$|\/texts\/en\.json$|(?:^|\/)Dockerfile$/;

/** What to write instead of each. */
const WORDS: Record<string, string> = {
  anew: "again, or a verb with re-",
  everybody: "everyone, all users, all members",
  "for ever": "forever, or leave it out",
  nobody: "no one, or name what does not: no user, no process",
  somebody: "a user, a member, someone",
  whoever: "the one who: the caller, the worker, the client",
};
const PATTERN = new RegExp(`\\b(?:${Object.keys(WORDS).join("|")})\\b`, "gi");

/** A word alone in quotes is data, such as a setting or a name. */
const DATA = /(["'`])\w+\1/g;

/** Not rewritten yet. */
const EXCLUDED = /^(?:benchmark|docs|test|web)\/|^services\/\w+\/README\.md$|^scripts\/check-language\.ts$/;
/** Messages of test users, and a user of Debian. */
const ALLOWED = [/content: "/, /user: nobody$/];

const tracked = execFileSync("git", ["ls-files"], { encoding: "utf8" }).split("\n");
const faults = tracked.filter((path) => FILES.test(path) && !EXCLUDED.test(path)).flatMap(faultsOf);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;

function faultsOf(path: string): string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line, index) => {
      if (ALLOWED.some((pattern) => pattern.test(line))) return [];
      const words = line.replaceAll(DATA, "").match(PATTERN) ?? [];
      return words.map((word) => `${path}:${index + 1}: "${word}": write ${WORDS[word.toLowerCase()]}`);
    });
}
