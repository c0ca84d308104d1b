import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ACTIONS, EVENTS } from "@fanfare/contract";
import { expect, test } from "vitest";
import { findTables } from "./action-tables.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const NAMES = new Set([...Object.keys(ACTIONS), ...Object.keys(EVENTS)]);

const namesIn = (source: string): string[] =>
  findTables("source.ts", source, NAMES).flatMap((table) => table.names);

test.each([
  ["a set", 'const WRITES = new Set(["message.send", "message.edit"]);'],
  ["an object of plain values", 'const COST = { "message.send": 1, "message.edit": { cost: 2 } };'],
  ["an enumeration", 'z.enum(["message.created", "message.deleted"]);'],
  ["how a name begins", 'names.filter((name) => name.startsWith("message."));'],
  ["how a name ends", 'names.filter((name) => name.endsWith(".forgetUser"));'],
])("%s is a table of names", (_what, source) => {
  expect(namesIn(source)).not.toEqual([]);
});

test("handlers by name and single names are not tables", () => {
  expect(namesIn('const actions = { "message.send": send(parts), "message.edit": edit(parts) };')).toEqual(
    [],
  );
  expect(namesIn('await call("message.send", {}); on("message.created", hear); x.startsWith("a.");')).toEqual(
    [],
  );
});

/** Parsing all files takes too long: only those that could have a table. */
function canHaveTable(source: string): boolean {
  if (/\.(?:starts|ends)With\(/.test(source)) return true;
  const quoted = source.match(/["'][A-Za-z]+\.[A-Za-z]+["']/g) ?? [];
  return quoted.filter((text) => NAMES.has(text.slice(1, -1))).length > 1;
}

test("facts about actions and events are only in the contract: move them to the definitions", () => {
  const files = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" })
    .split("\n")
    .filter((file) => /^(?:(?:packages|services)\/[^/]+\/src|(?:web|benchmark)\/src|scripts)\//.test(file))
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
    .filter((file) => !file.startsWith("packages/contract/") && existsSync(`${ROOT}/${file}`));
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) => {
    const source = readFileSync(`${ROOT}/${file}`, "utf8");
    const tables = canHaveTable(source) ? findTables(file, source, NAMES) : [];
    return tables.map(({ line, names }) => `${file}:${line} ${names.join(", ")}`);
  });
  expect(found).toEqual([]);
}, 120_000);

test('each action has one handler, which a search for "its name": finds', () => {
  const services = execFileSync("git", ["ls-files", "services/*/src/*.ts", "services/*/src/**/*.ts"], {
    cwd: ROOT,
    encoding: "utf8",
  })
    .split("\n")
    .filter((file) => file !== "" && !file.endsWith(".test.ts") && existsSync(`${ROOT}/${file}`))
    .map((file) => readFileSync(`${ROOT}/${file}`, "utf8"))
    .join("\n");
  const wrong = Object.keys(ACTIONS).filter((name) => services.split(`"${name}": `).length !== 2);
  expect(wrong).toEqual([]);
});
