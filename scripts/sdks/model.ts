import { asyncApiDocument, openApiDocument, type Schema } from "@fanfare/contract/docs";

/** What the SDKs are generated from: the types, actions and events of the OpenAPI and AsyncAPI documents. */
export interface Model {
  objects: ObjectType[];
  unions: UnionType[];
  actions: Action[];
  events: Event[];
}

export type Type =
  | { kind: "string"; values?: string[] }
  | { kind: "integer" | "number" | "boolean" | "any" }
  | { kind: "list" | "map" | "nullable"; of: Type }
  | { kind: "named"; name: string };

export interface ObjectType {
  name: string;
  description: string;
  fields: Field[];
  /** Params can be absent where results can't. */
  isInput: boolean;
}

export interface Field {
  name: string;
  type: Type;
  isRequired: boolean;
  description: string;
}

/** Objects that a field with a constant tells apart. */
export interface UnionType {
  name: string;
  description: string;
  variants: ObjectType[];
}

export interface Action {
  /** Such as `message.send`. */
  name: string;
  subject: string;
  verb: string;
  summary: string;
  /** Who can call it, and how often. */
  description: string;
  /** Names of types; null: there are none. */
  params: string | null;
  result: string | null;
  isReadOnly: boolean;
}

export interface Event {
  name: string;
  summary: string;
  payload: string;
}

interface Operation {
  summary: string;
  description: string;
  "x-read-only": boolean;
  requestBody: { content: Record<string, { schema: Schema }> };
  responses: { "200": { content: Record<string, { schema: Schema }> } };
}

const JSON_TYPE = "application/json";

export function readModel(): Model {
  const http = openApiDocument() as unknown as {
    paths: Record<string, { post: Operation }>;
    components: { schemas: Record<string, Schema> };
  };
  const socket = asyncApiDocument() as unknown as {
    components: { messages: Record<string, { name: string; summary: string; payload: Schema }> };
  };
  const types = new Types();
  const { Error: _error, ...shared } = http.components.schemas;
  for (const [name, schema] of Object.entries(shared)) types.add(name, schema, false);
  const actions = Object.entries(http.paths).flatMap(([path, { post }]): Action[] => {
    const params = post.requestBody.content[JSON_TYPE]?.schema;
    // The body of an upload is a file.
    if (params === undefined) return [];
    const name = path.replace("/api/", "");
    const [subject = "", verb = ""] = name.split(".");
    const data = post.responses["200"].content[JSON_TYPE]!.schema.properties!["data"]!;
    return [
      {
        name,
        subject,
        verb,
        summary: post.summary,
        description: post.description,
        params: types.top(`${pascal(name)}Params`, params, true),
        result: types.top(`${pascal(name)}Result`, data, false),
        isReadOnly: post["x-read-only"],
      },
    ];
  });
  const events = Object.entries(socket.components.messages).flatMap(([key, { name, summary, payload }]) => {
    if (key !== name) return [];
    const type = `${pascal(name)}Event`;
    types.add(type, payload, false);
    return [{ name, summary, payload: type }];
  });
  return { objects: types.objects, unions: types.unions, actions, events };
}

export const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("");

/** `message.created` as `message_created`, `listMine` as `list_mine`. */
export const snake = (name: string): string =>
  name
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .toLowerCase();

/** Gives each object within another one a name. */
class Types {
  readonly objects: ObjectType[] = [];
  readonly unions: UnionType[] = [];
  readonly #names = new Set<string>();

  /** @returns the name of the type; null if it has no fields */
  top(name: string, schema: Schema, isInput: boolean): string | null {
    if (schema.$ref !== undefined) return nameOf(schema.$ref);
    if (Object.keys(schema.properties ?? {}).length === 0) return null;
    this.add(name, schema, isInput);
    return name;
  }

  add(name: string, schema: Schema, isInput: boolean): void {
    const variants = schema.oneOf;
    if (variants === undefined) this.objects.push(this.#object(name, schema, isInput));
    else this.#union(name, variants, isInput, schema.description ?? "");
  }

  #object(name: string, schema: Schema, isInput: boolean): ObjectType {
    if (this.#names.has(name)) throw new Error(`Two types are called ${name}: give one a schema id.`);
    this.#names.add(name);
    const fields = Object.entries(schema.properties ?? {}).map(([field, inner]) => ({
      name: field,
      type: this.#typeOf(name + pascal(field), inner, isInput),
      isRequired: schema.required?.includes(field) ?? false,
      description: inner.description ?? "",
    }));
    return { name, description: schema.description ?? "", fields, isInput };
  }

  #union(name: string, variants: Schema[], isInput: boolean, description: string): void {
    const all = variants.map((variant) => {
      const constants = Object.values(variant.properties ?? {}).map((field) => field.const);
      const kind = constants.find((value) => typeof value === "string");
      if (kind === undefined) throw new Error(`A variant of ${name} has no constant that tells it apart.`);
      return this.#object(name + pascal(kind), variant, isInput);
    });
    this.unions.push({ name, description, variants: all });
  }

  #typeOf(name: string, schema: Schema, isInput: boolean): Type {
    if (schema.$ref !== undefined) return { kind: "named", name: nameOf(schema.$ref) };
    if (schema.const !== undefined) return ofValues([schema.const]);
    if (schema.enum !== undefined) return ofValues(schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices !== undefined) return this.#choice(name, choices, isInput);
    if (Array.isArray(schema.type)) {
      const [type, ...others] = schema.type.filter((one) => one !== "null");
      const inner: Type = others.length > 0 ? { kind: "any" } : this.#typeOf(name, { type: type! }, isInput);
      return { kind: "nullable", of: inner };
    }
    switch (schema.type) {
      case "string":
      case "integer":
      case "number":
      case "boolean":
        return { kind: schema.type };
      case "array":
        return { kind: "list", of: this.#typeOf(singular(name), schema.items || {}, isInput) };
      case "object": {
        if (schema.properties === undefined) {
          const { additionalProperties: values } = schema;
          const of: Type = typeof values === "object" ? this.#typeOf(name, values, isInput) : { kind: "any" };
          return { kind: "map", of };
        }
        this.objects.push(this.#object(name, schema, isInput));
        return { kind: "named", name };
      }
      default:
        return { kind: "any" };
    }
  }

  #choice(name: string, choices: Schema[], isInput: boolean): Type {
    const present = choices.filter(({ type }) => type !== "null");
    if (present.length < choices.length) {
      const inner =
        present.length === 1
          ? this.#typeOf(name, present[0]!, isInput)
          : this.#choice(name, present, isInput);
      return { kind: "nullable", of: inner };
    }
    if (present.every(({ type }) => type === "object")) {
      this.#union(name, present, isInput, "");
      return { kind: "named", name };
    }
    const types = present.map((choice) => this.#typeOf(name, choice, isInput));
    return types.every(({ kind }) => kind === "string") ? { kind: "string" } : { kind: "any" };
  }
}

function ofValues(values: unknown[]): Type {
  const present = values.filter((value) => value !== null);
  const inner: Type = present.every((value) => typeof value === "string")
    ? { kind: "string", values: present }
    : present.every((value) => typeof value === "boolean")
      ? { kind: "boolean" }
      : { kind: "any" };
  return present.length < values.length ? { kind: "nullable", of: inner } : inner;
}

const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf("/") + 1);

/** The name of one item of a list: `Options` has `Option`s. */
function singular(name: string): string {
  if (name.endsWith("ies")) return `${name.slice(0, -3)}y`;
  return name.endsWith("s") ? name.slice(0, -1) : `${name}Item`;
}
