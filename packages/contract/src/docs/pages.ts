import { z } from "zod";
import { type ErrorDefinition, ERRORS } from "../errors.ts";
import { openApiDocument, type Schema } from "./openapi.ts";

interface Operation {
  summary: string;
  description: string;
  tags: string[];
  parameters?: { name: string; in: string; required: boolean; schema: Schema }[];
  /** JSON; for uploads, the raw file. */
  requestBody: { content: { "application/json"?: { schema: Schema } } };
  responses: Record<string, { description: string; content: { "application/json": { schema: Schema } } }>;
}

interface Document {
  paths: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema> };
}

/** The stylesheet of `apiPage`. It is a separate file because the CSP forbids inline styles. */
export const API_PAGE_STYLE = `:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}
body{max-width:60rem;margin:0 auto;padding:1rem}
code{font:13px ui-monospace,monospace}
h2{margin-top:2.5rem;border-bottom:1px solid color-mix(in srgb,currentColor 25%,transparent)}
nav a{margin-right:.9rem}
details{margin:.4rem 0;padding:.3rem .6rem;border:1px solid color-mix(in srgb,currentColor 18%,transparent);border-radius:6px}
summary{cursor:pointer}
table{border-collapse:collapse;width:100%;margin:.5rem 0}
th,td{text-align:left;vertical-align:top;padding:.2rem .8rem .2rem 0;overflow-wrap:anywhere}
th{font-weight:600}
`;

/** The API reference as one HTML page without scripts, generated from the OpenAPI document. */
export function apiPage(): string {
  const { paths, components } = openApiDocument() as unknown as Document;
  const byTag = Map.groupBy(Object.entries(paths), ([, { post }]) => post.tags[0] ?? "");
  const tags = [...byTag.keys()];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Fanfare API</title>
<link rel="stylesheet" href="/api/docs.css">
<h1>Fanfare API</h1>
<p>Each action is a <code>POST</code> of a JSON object, with <code>Authorization: Bearer</code> and an access token or the token of a bot; by socket it is
<code>socket.emitWithAck("message.send", params)</code>. The answer is <code>{ok: true, data}</code> or <code>{ok: false, error}</code>. For programs:
<a href="/api/openapi.json">openapi.json</a>, and for events <a href="/api/asyncapi.json">asyncapi.json</a>.</p>
<nav>${tags.map((tag) => `<a href="#${text(tag)}">${text(tag)}</a>`).join(" ")} <a href="#schemas">schemas</a></nav>
${[...byTag].map(([tag, operations]) => `<h2 id="${text(tag)}">${text(tag)}</h2>\n${operations.map(operation).join("\n")}`).join("\n")}
<h2 id="schemas">schemas</h2>
${Object.entries(components.schemas).map(schemaEntry).join("\n")}
</html>
`;
}

function operation([path, { post }]: [string, { post: Operation }]): string {
  const response = post.responses["200"]?.content["application/json"].schema.properties?.["data"] ?? {};
  const errors = Object.entries(post.responses)
    .filter(([status]) => status !== "200")
    .map(([status, { description }]) => `<tr><td>${text(status)}</td><td>${text(description)}</td></tr>`);
  return `<details id="${text(path)}"><summary><code>${text(path)}</code> ${text(post.summary)}</summary>
<p>${text(post.description)}</p>
<h3>Parameters</h3>${fields(post.requestBody.content["application/json"]?.schema ?? querySchema(post))}
<h3>Response</h3>${fields(response)}
<h3>Errors</h3><table>${errors.join("")}</table></details>`;
}

function querySchema({ parameters = [] }: Operation): Schema {
  const query = parameters.filter((parameter) => parameter.in === "query");
  return {
    properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  };
}

function schemaEntry([name, schema]: [string, Schema]): string {
  return `<details id="schema-${text(name)}" open><summary><code>${text(name)}</code> ${text(schema.description ?? "")}</summary>${fields(schema)}</details>`;
}

function fields(schema: Schema): string {
  const entries = Object.entries(schema.properties ?? {});
  if (schema.properties === undefined) return `<p>${typeOf(schema)}</p>`;
  if (entries.length === 0) return "<p>Nothing.</p>";
  const rows = entries.map(([name, field]) => {
    const isOptional = schema.required?.includes(name) !== true;
    return `<tr><td><code>${text(name)}${isOptional ? "?" : ""}</code></td><td>${typeOf(field)}</td><td>${text(notes(field))}</td></tr>`;
  });
  return `<table>${rows.join("")}</table>`;
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = text(schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1));
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return `<code>${text(JSON.stringify(schema.const))}</code>`;
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `<code>${text(JSON.stringify(value))}</code>`).join(" | ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map(typeOf).join(" | ");
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  if (schema.properties !== undefined) return fields(schema);
  return text([schema.type ?? "anything"].flat().join(" | "));
}

function notes({ description, default: standard, maxLength, minimum, maximum }: Schema): string {
  const range = [minimum, maximum].every((n) => n === undefined || Math.abs(n) >= Number.MAX_SAFE_INTEGER)
    ? undefined
    : `${minimum ?? ""} to ${maximum === Number.MAX_SAFE_INTEGER ? "…" : (maximum ?? "…")}`;
  return [
    description,
    maxLength === undefined ? undefined : `at most ${maxLength} characters`,
    range,
    standard === undefined ? undefined : `default: ${JSON.stringify(standard)}`,
  ]
    .filter((note) => note !== undefined)
    .join("; ");
}

const text = (raw: string): string =>
  raw.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** The error table as Markdown. */
export function errorsPage(): string {
  const rows = Object.entries<ErrorDefinition>(ERRORS)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([code, { status, advice, message, data }]) =>
        `| \`${code}\` | ${status} | ${advice} | ${dataFields(data)} | ${message} |`,
    );
  return [
    "# Errors",
    "",
    "Generated from `packages/contract/src/errors.ts` by `pnpm docs:generate`.",
    "",
    "A failed call returns `{ok: false, error: {type, message, data, retryable, requestId}}`. Handle errors by `type`; `message` is",
    "for people. The third column says what a client should do:",
    "",
    "- **retry** the same call after `data.retryAfterMs`; [Retry calls](protocol.md#retry-calls) says which calls are safe to repeat",
    "- **log in** again, or refresh the access token",
    "- **correct** the request",
    "- **give up**: repeating the call does not help",
    "",
    "| type | HTTP status | what to do | data | meaning |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

function dataFields(data: z.ZodObject | undefined): string {
  if (data === undefined) return "";
  return Object.entries(data.shape)
    .map(([name, schema]) => `\`${name}\`: ${typeName(schema)}`)
    .join(", ");
}

function typeName(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodArray) return `list of ${typeName(schema.element)}`;
  if (schema instanceof z.ZodObject) return `{${Object.keys(schema.shape).join(", ")}}`;
  const { type, format } = z.toJSONSchema(schema) as { type?: string; format?: string };
  return format ?? type ?? "any";
}
