import { Ajv, type ErrorObject } from "ajv";
import schema from "../schema/result.v3.json" with { type: "json" };

type Schema = { [key: string]: unknown };

const OPTIONS = { allErrors: true, allowUnionTypes: true };
const isPublished = new Ajv(OPTIONS).compile(schema);
const isStrict = new Ajv(OPTIONS).compile(sealed(schema) as Schema);

/** Violations of the published schema, which allows unknown fields because readers ignore them. */
export function publishedErrors(result: unknown): ErrorObject[] {
  isPublished(result);
  return isPublished.errors ?? [];
}

/** The same, plus every field missing in the schema: the tester writes none. */
export function strictErrors(result: unknown): ErrorObject[] {
  isStrict(result);
  return [...publishedErrors(result), ...(isStrict.errors ?? [])];
}

function sealed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(sealed);
  if (typeof node !== "object" || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, sealed(value)]));
  return "properties" in node && "type" in node && !("additionalProperties" in node)
    ? { ...copy, additionalProperties: false }
    : copy;
}
