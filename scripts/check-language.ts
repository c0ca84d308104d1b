import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

// `node scripts/check-language.ts [--readability]`: fails where comments, texts and documents have words that plain English avoids, and where
// documents are hard to read. --readability prints the figures of each document.

const FILES = /\.(?:ts|tsx|md|yaml|yml|tpl|sh)$|\/texts\/en\.json$|(?:^|\/)Dockerfile$/;

const PATTERN = /\b(?:anew|(?:every|no|some)body|for ever|whoever)\b/gi;
const INSTEAD =
  "again, or a verb with re-; everyone, no one, someone, forever; or name it: the user, the member, the client";

/** A single word in quotes is data, such as a setting or a name. */
const DATA = /(["'`])\w+\1/g;

/** Not rewritten yet. */
const EXCLUDED = /^docs\/benchmarks\/2|^scripts\/check-language\.ts$/;
/** Messages of test users, and a user of Debian. */
const ALLOWED = [/content: "/, /user: nobody$/];

/** Hand-written documents. Generated ones and reports are mostly tables. */
const DOCUMENTS =
  /^(?:README|SECURITY)\.md$|^docs\/(?!run\/configuration|build\/errors|benchmarks\/\d|index)/;
const MAX_SENTENCE_WORDS = 35;
/** US school grade. */
const MAX_GRADE = 9;
/** Of all documents. */
const MAX_WORDS = 28_500;

interface Readability {
  words: number;
  longest: string;
  grade: number;
}

/** Automated Readability Index (Senter and Smith, 1967), of the sentences outside code, tables and headings. */
function readabilityOf(markdown: string): Readability {
  const prose = markdown
    .replace(/^---\n.*?\n---\n/s, "")
    .replaceAll(/^ *(```|~~~).*?^ *\1/gms, "")
    .replaceAll(/<!--.*?-->|<[^>]+>/gs, "")
    .replaceAll(/^ *(?:[|#].*| {4}.*)$/gm, "")
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    // A name of the code counts as one short word.
    .replaceAll(/`[^`]*`/g, "code")
    .replaceAll(/\b(?:e\.g|i\.e|vs|etc)\./g, "such");
  const sentences = prose
    .split(/\n\s*\n|\n *(?:[-*]|\d+\.) |(?<=[.!?])["”)*_]*\s|:\n/)
    .map((sentence) => sentence.match(/[\p{L}\p{N}’'-]+/gu) ?? [])
    .filter((words) => words.length > 0);
  const words = sentences.flat();
  const letters = words.join("").length;
  const grade = 4.71 * (letters / words.length) + 0.5 * (words.length / sentences.length) - 21.43;
  const longest = sentences.reduce((long, each) => (each.length > long.length ? each : long), [] as string[]);
  return { words: words.length, longest: longest.join(" "), grade };
}

const tracked = execFileSync("git", ["ls-files"], { encoding: "utf8" }).split("\n");
const faults = tracked.filter((path) => FILES.test(path) && !EXCLUDED.test(path)).flatMap(wordsOf);
if (faults.length > 0) faults.push(`Write instead: ${INSTEAD}`);
let total = 0;
for (const path of tracked.filter((path) => path.endsWith(".md") && DOCUMENTS.test(path))) {
  const { words, longest, grade } = readabilityOf(readFileSync(path, "utf8"));
  total += words;
  const longestWords = longest.split(" ").length;
  if (process.argv.includes("--readability")) {
    console.log(`${path}: ${words} words, grade ${grade.toFixed(1)}, longest sentence ${longestWords} words`);
  }
  if (grade > MAX_GRADE) {
    faults.push(
      `${path}: grade ${grade.toFixed(1)} is above ${MAX_GRADE}: write shorter sentences and words.`,
    );
  }
  if (longestWords > MAX_SENTENCE_WORDS) {
    faults.push(`${path}: a sentence has ${longestWords} words, at most ${MAX_SENTENCE_WORDS}: "${longest}"`);
  }
}
if (total > MAX_WORDS) faults.push(`The documents have ${total} words of prose, at most ${MAX_WORDS}.`);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;

function wordsOf(path: string): string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line, index) => {
      if (ALLOWED.some((pattern) => pattern.test(line))) return [];
      const words = line.replaceAll(DATA, "").match(PATTERN) ?? [];
      return words.map((word) => `${path}:${index + 1}: "${word}"`);
    });
}
