import { ERRORS } from "../errors.ts";
import { asyncApiDocument } from "./asyncapi.ts";
import { openApiDocument, type Schema } from "./openapi.ts";

interface Body {
  content: { "application/json"?: { schema: Schema } };
}
interface Documents {
  paths: Record<
    string,
    {
      post: {
        operationId: string;
        parameters?: { name: string; required: boolean; schema: Schema }[];
        requestBody: Body;
        responses: Record<string, Body>;
      };
    }
  >;
  schemas: Record<string, Schema>;
  messages: Record<string, { payload: Schema }>;
}

/** `params` is what clients send; `result` and `event` are what they receive. */
type Kind = "params" | "result" | "event";

/**
 * The parts of the API that clients rely on, one sorted line each: `action <name>: <transports>`, `error <code>: <status> <advice>`, and for every field
 * `<kind> <action, event or shared schema> <path>[?]: <types>`. Limits of length and size are omitted.
 */
export function apiRecord(): string[] {
  const { paths, schemas, messages } = documents();
  const lines = new Set<string>();
  const record = (kind: Kind, owner: string, schema: Schema): void => {
    const referred = fieldsOf(schema, "", (path, types) => lines.add(`${kind} ${owner} ${path}: ${types}`));
    const shared = kind === "params" ? kind : "result";
    for (const name of referred) {
      const line = `${shared} ${name} (whole): ${typesOf(schemas[name]!).join("|")}`;
      if (lines.has(line)) continue;
      lines.add(line);
      record(shared, name, schemas[name]!);
    }
  };

  for (const { post } of Object.values(paths)) {
    const { operationId: name, parameters = [], requestBody, responses } = post;
    const bySocket = messages[`${name}-call`] !== undefined;
    lines.add(`action ${name}: ${bySocket ? "http|socket" : "http"}`);
    const query = {
      properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.schema])),
      required: parameters.filter((parameter) => parameter.required).map((parameter) => parameter.name),
    };
    record("params", name, requestBody.content["application/json"]?.schema ?? query);
    record("result", name, responses["200"]!.content["application/json"]!.schema.properties!["data"]!);
  }
  for (const [name, { payload }] of Object.entries(messages)) {
    if (name.endsWith("-call") || name.endsWith("-answer")) continue;
    lines.add(`event ${name} (whole): object`);
    record("event", name, payload);
  }
  for (const [code, { status, advice }] of Object.entries(ERRORS))
    lines.add(`error ${code}: ${status} ${advice}`);
  return [...lines].sort();
}

function documents(): Documents {
  const { paths, components } = openApiDocument() as unknown as Documents & { components: Documents };
  const socket = asyncApiDocument() as unknown as { components: Documents };
  return { paths, schemas: components.schemas, messages: socket.components.messages };
}

/**
 * Reports each field of a schema with its types, including those of nested objects and alternatives.
 * @returns the shared schemas that it refers to
 */
function fieldsOf(schema: Schema, path: string, report: (path: string, types: string) => void): string[] {
  if (schema.$ref !== undefined) return [nameOf(schema.$ref)];
  const { properties = {}, required = [], items, additionalProperties } = schema;
  const alternatives = schema.anyOf ?? schema.oneOf ?? [];
  const objects = alternatives.filter(({ properties: fields }) => fields !== undefined);
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  return [
    ...Object.entries(properties).flatMap(([name, field]) => {
      report(`${at(name)}${required.includes(name) ? "" : "?"}`, typesOf(field).join("|"));
      return fieldsOf(field, at(name), report);
    }),
    ...alternatives.flatMap((alternative) => {
      if (objects.length < 2 || alternative.properties === undefined)
        return fieldsOf(alternative, path, report);
      const label = `${path}(${labelOf(alternative)})`;
      report(`${label}?`, "object");
      return fieldsOf(alternative, label, report);
    }),
    ...(items === undefined ? [] : fieldsOf(items, `${path}[]`, report)),
    ...(typeof additionalProperties !== "object" ? [] : fieldsOf(additionalProperties, `${path}{}`, report)),
  ];
}

/** The discriminator of an object: the field with a constant value. */
function labelOf({ properties = {} }: Schema): string {
  const [value] = Object.values(properties).flatMap((field) => ("const" in field ? [field.const] : []));
  if (typeof value !== "string")
    throw new Error(`Objects that are alternatives need a constant: ${Object.keys(properties).join(", ")}`);
  return value;
}

function typesOf(schema: Schema): string[] {
  const { $ref, type = "any", enum: values, anyOf, oneOf, items, additionalProperties } = schema;
  if ($ref !== undefined) return [nameOf($ref)];
  if ("const" in schema) return [JSON.stringify(schema.const)];
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).sort();
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined) return [...new Set(alternatives.flatMap(typesOf))].sort();
  return [type]
    .flat()
    .sort()
    .flatMap((one) => {
      if (one === "array" && items !== undefined) return typesOf(items).map((item) => `${item}[]`);
      if (one === "object" && typeof additionalProperties === "object")
        return typesOf(additionalProperties).map((value) => `${value}{}`);
      return [one];
    });
}

const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf("/") + 1);

interface Fact {
  kind: string;
  owner: string;
  path: string;
  optional: boolean;
  types: string[];
}

/** Describes the incompatible changes of a record. Additions that older clients can ignore are compatible. */
export function breakingChanges(before: readonly string[], after: readonly string[]): string[] {
  const old = factsOf(before);
  const now = factsOf(after);
  const removed = [...old.keys()].filter((key) => !now.has(key)).map((key) => `removed: ${key}`);
  const changed = [...now].flatMap(([key, fact]) => {
    const former = old.get(key);
    if (former !== undefined) return changesOf(former, fact).map((change) => `${change}: ${key}`);
    const wasThere = old.has(parentOf(fact));
    return fact.kind === "params" && !fact.optional && wasThere ? [`new and required: ${key}`] : [];
  });
  return [...removed, ...changed];
}

function changesOf(before: Fact, after: Fact): string[] {
  const gone = before.types.filter((type) => !after.types.some((other) => covers(other, type)));
  const added = after.types.filter((type) => !before.types.some((other) => covers(other, type)));
  const listed = (types: readonly string[]): string => types.join(", ");
  if (before.kind === "params")
    return [
      ...(before.optional && !after.optional ? ["now required"] : []),
      ...(gone.length > 0 ? [`no longer accepts ${listed(gone)}`] : []),
    ];
  const lost = gone.filter((type) => type !== "null");
  const unknown = added.filter((type) => !type.startsWith('"'));
  return [
    ...(!before.optional && after.optional ? ["no longer always there"] : []),
    ...(lost.length > 0 ? [`no longer ${listed(lost)}`] : []),
    ...(unknown.length > 0 && !["action", "error"].includes(before.kind)
      ? [`can now be ${listed(unknown)}`]
      : []),
  ];
}

/** Whether every value of a type is also a value of the other, as the constant "a" is a string. */
function covers(type: string, narrower: string): boolean {
  return type === narrower || type === narrower.replace(/^"[^"]*"/, "string").replace(/^integer/, "number");
}

/** The action, schema or field that a field belongs to. */
function parentOf({ kind, owner, path }: Fact): string {
  const parent = path.replace(/(^|\.)[^.]*$/, "").replace(/(\[\]|\{\})+$/, "");
  if (parent !== "") return `${kind} ${owner} ${parent}`;
  return /^[A-Z]/.test(owner) ? `${kind} ${owner} (whole)` : `action ${owner}`;
}

function factsOf(lines: readonly string[]): Map<string, Fact> {
  return new Map(
    lines.map((line) => {
      const [name = "", types = ""] = line.split(": ");
      const key = name.replace(/\?$/, "");
      const [kind = "", owner = "", path = ""] = key.split(" ");
      return [key, { kind, owner, path, optional: key !== name, types: types.split("|") }];
    }),
  );
}
