import { CommandError } from "../errors.ts";
import { compileFilter, type DocumentTest, type FilterOptions } from "../query/matcher.ts";
import { isObject, type PlainObject } from "../values/types.ts";

/** Renames the first part of each path to `element`. */
function rename(filter: PlainObject, names: Set<string>): PlainObject {
  const out: PlainObject = {};
  for (const [key, operand] of Object.entries(filter)) {
    if (key.startsWith("$") && Array.isArray(operand)) {
      out[key] = operand.map((part) => (isObject(part) ? rename(part, names) : part));
      continue;
    }
    const [name = "", ...rest] = key.split(".");
    names.add(name);
    out[["element", ...rest].join(".")] = operand;
  }
  return out;
}

/** Compiles `arrayFilters` by identifier to tests of `{ element }`. */
export function compileArrayFilters(filters: unknown, options: FilterOptions): Map<string, DocumentTest> {
  const compiled = new Map<string, DocumentTest>();
  if (filters === undefined || filters === null) return compiled;
  if (!Array.isArray(filters)) throw new CommandError("TypeMismatch", "arrayFilters must be an array");
  for (const filter of filters) {
    if (!isObject(filter)) throw new CommandError("TypeMismatch", "Each array filter must be an object");
    const names = new Set<string>();
    const test = compileFilter(rename(filter, names), options);
    const [name] = names;
    if (name === undefined || names.size > 1) {
      throw new CommandError(
        "FailedToParse",
        "Error parsing array filter: expected a single top-level field name",
      );
    }
    if (compiled.has(name)) {
      throw new CommandError(
        "FailedToParse",
        `Found multiple array filters with the same top-level field name ${name}`,
      );
    }
    compiled.set(name, test);
  }
  return compiled;
}
