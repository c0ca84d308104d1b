import { z } from "zod";
import { ERRORS, type ErrorDefinition } from "../errors.ts";

/** The error table as Markdown. */
export function errorsPage(): string {
  const rows = Object.entries<ErrorDefinition>(ERRORS)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([code, { status, advice, message, data }]) =>
        `| \`${code}\` | ${status} | ${advice} | ${fields(data)} | ${message} |`,
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

function fields(data: z.ZodObject | undefined): string {
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
