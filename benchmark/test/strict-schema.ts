import { Ajv, type ErrorObject } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import schema from "../schema/result.v2.json" with { type: "json" };

type Schema = { [key: string]: unknown };

const OPTIONS = { allErrors: true, allowUnionTypes: true };
/** Definitions that others extend must allow the fields of those. */
const PART = "part of ";

const isPublished = new Ajv(OPTIONS).compile(schema);
const isStrict = new Ajv2019({ ...OPTIONS, strictTypes: false }).compile(strictSchema());

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

function strictSchema(): Schema {
  const { $schema: _, definitions, ...root } = schema as Schema & { definitions: Schema };
  return {
    ...sealed(root, false),
    definitions: Object.fromEntries(
      Object.entries(definitions).flatMap(([name, definition]) => [
        [name, sealed(definition as Schema, false)],
        [PART + name, sealed(definition as Schema, true)],
      ]),
    ),
  };
}

/** @param isPart more fields may follow: the definition that includes it is sealed instead */
function sealed(node: Schema, isPart: boolean): Schema {
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, sealedKeyword(key, value, isPart)]),
  );
  const isSealed = !isPart && ("properties" in node || "allOf" in node) && !("additionalProperties" in node);
  return isSealed ? { ...copy, unevaluatedProperties: false } : copy;
}

function sealedKeyword(key: string, value: unknown, isPart: boolean): unknown {
  switch (key) {
    case "$ref":
      return isPart
        ? String(value).replace("/definitions/", `/definitions/${PART.replaceAll(" ", "%20")}`)
        : value;
    case "properties":
      return Object.fromEntries(
        Object.entries(value as Schema).map(([name, of]) => [name, sealed(of as Schema, false)]),
      );
    case "allOf":
      return (value as Schema[]).map((part) => sealed(part, true));
    case "oneOf":
      return (value as Schema[]).map((variant) => sealed(variant, isPart));
    case "items":
      return sealed(value as Schema, false);
    default:
      return value;
  }
}
