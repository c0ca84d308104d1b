import { parseSync, Visitor } from "oxc-parser";

/** A place where source lists names of actions or events. */
export interface Table {
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
export function findTables(file: string, source: string, names: ReadonlySet<string>): Table[] {
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
