import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ACTIONS, EVENTS } from "@fanfare/contract";
import { expect, test } from "vitest";
import { parseSync, Visitor } from "oxc-parser";

/** A place where source lists names of actions or events. */
interface Table {
  line: number;
  names: string[];
}

const MIN_NAMES = 2;

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

/**
 * Finds code that repeats facts about actions or events outside their definition: arrays, sets and objects with
 * plain values that have several of the names, and decisions by a name's prefix or suffix. An object of
 * functions by name is not such a table.
 */
function findTables(file: string, source: string, names: ReadonlySet<string>): Table[] {
  const tables: Table[] = [];
  const services = new Set(
    [...names].filter((name) => name.includes(".")).map((name) => name.split(".")[0]!),
  );
  const note = (node: Node, found: string[]): void => {
    if (found.length > 0) tables.push({ line: source.slice(0, node.start).split("\n").length, names: found });
  };
  const several = (found: (string | undefined)[]): string[] => {
    const known = found.filter((name) => name !== undefined && names.has(name)) as string[];
    return known.length >= MIN_NAMES ? known : [];
  };
  const isNamePart = (text: string | undefined): text is string =>
    text !== undefined &&
    ((text.endsWith(".") && services.has(text.slice(0, -1))) ||
      (text.startsWith(".") && [...names].some((name) => name.endsWith(text) && name.includes("."))));

  const visitor = new Visitor({
    ArrayExpression: (node) =>
      note(node as unknown as Node, several(node.elements.map((item) => textOf(item)))),
    ObjectExpression: (node) =>
      note(
        node as unknown as Node,
        several(
          node.properties.map((property) =>
            property.type === "Property" && isPlain(property.value) ? textOf(property.key) : undefined,
          ),
        ),
      ),
    CallExpression: (node) => {
      const { callee } = node;
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
      if (callee.property.name !== "startsWith" && callee.property.name !== "endsWith") return;
      const part = textOf(node.arguments[0]);
      if (isNamePart(part)) note(node as unknown as Node, [part]);
    },
  });
  visitor.visit(parseSync(file, source).program);
  return tables;
}

function textOf(node: unknown): string | undefined {
  const { type, value } = (node ?? {}) as { type?: string; value?: unknown };
  return type === "Literal" && typeof value === "string" ? value : undefined;
}

/** A value without behavior: a literal, or an object or array of literals. */
function isPlain(node: unknown): boolean {
  const { type, elements, properties } = node as {
    type: string;
    elements?: unknown[];
    properties?: { type: string; value: unknown }[];
  };
  if (type === "ArrayExpression") return elements!.every((item) => isPlain(item));
  if (type === "ObjectExpression")
    return properties!.every((item) => item.type === "Property" && isPlain(item.value));
  return type === "Literal" || type === "UnaryExpression" || type === "TemplateLiteral";
}

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
