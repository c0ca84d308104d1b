import { z } from "zod";
import { ACTIONS, actionDefinition, needsSecondFactor, type ActionName } from "../actions.ts";
import type { ActionDefinition, ActionRateLimit, RateLimit } from "../define.ts";
import { COMMON_ERRORS, ERRORS, type ErrorCode } from "../errors.ts";
import type { PermissionRule } from "../permissions.ts";
import { PROTOCOL_VERSION } from "../wire.ts";

type Json = Record<string, unknown>;

/** The parts of a JSON Schema that the documents use. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
  default?: unknown;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
}

const REFERENCE_ROOT = "#/components/schemas/";

/** The HTTP API of the contract as an OpenAPI 3.1 document. */
export function openApiDocument(): Json {
  const schemas: Json = { ...sharedSchemas(), Error: errorSchema() };
  const paths: Json = {};
  for (const name of Object.keys(ACTIONS).sort() as ActionName[]) {
    const definition = actionDefinition(name);
    if (definition.transports.includes("http")) paths[`/api/${name}`] = { post: operation(name, definition) };
  }
  for (const name of UPLOADS) paths[`/api/${name}`] = { post: uploadOperation(name) };
  return {
    openapi: "3.1.0",
    info: {
      title: "Fanfare",
      version: `${PROTOCOL_VERSION}.0.0`,
      description:
        "Every action of the platform by HTTP. The same names, params and answers go over Socket.IO: " +
        '`socket.emitWithAck("message.send", params)`.',
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    paths,
    components: {
      schemas,
      securitySchemes: { accessToken: { type: "http", scheme: "bearer", bearerFormat: "JWT" } },
    },
  };
}

function operation(name: ActionName, definition: ActionDefinition): Json {
  const open = definition.permission.rule === "public";
  return {
    operationId: name,
    tags: [name.slice(0, name.indexOf("."))],
    summary: definition.summary,
    description:
      `Permission: ${describeRule(definition.permission)}. ${describeLimit(definition.rateLimit)} ${describeScope(definition)}`.trim(),
    "x-read-only": !definition.mutates,
    security: open ? [] : [{ accessToken: [] }],
    requestBody: { required: true, content: json(schemaOf(definition.params, "input")) },
    responses: {
      ...successResponse(definition.result),
      ...errorResponses(errorsOf(definition)),
    },
  };
}

const UPLOADS = ["file.upload", "file.uploadPicture"] as const;

/** Uploads are not actions: the gateway streams the body between the internal actions that begin and finish them. */
function uploadOperation(name: (typeof UPLOADS)[number]): Json {
  const begin = name === "file.upload" ? "file.startUpload" : "file.startPicture";
  const query = name === "file.upload" ? ACTIONS["file.startUpload"].params.omit({ bytes: true }).shape : {};
  const errors = errorsOf({
    ...actionDefinition(begin),
    errors: [...actionDefinition(begin).errors, ...actionDefinition("file.finishUpload").errors],
  });
  return {
    ...operation(begin, actionDefinition(begin)),
    operationId: name,
    summary:
      name === "file.upload"
        ? "Upload a file for a message in a channel. The body is the raw file."
        : "Upload the picture of a profile or a group. The body is the raw file.",
    parameters: [
      ...Object.entries(query).map(([param, schema]) => ({
        name: param,
        in: "query",
        required: !(schema instanceof z.ZodOptional),
        schema: schemaOf(schema as z.ZodType, "input"),
      })),
      {
        name: "content-length",
        in: "header",
        required: true,
        schema: { type: "integer", minimum: 1 },
        description: "the size of the file; chunked bodies are rejected",
      },
    ],
    requestBody: {
      required: true,
      content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
    },
    responses: {
      ...successResponse(actionDefinition("file.finishUpload").result),
      ...errorResponses(errors),
    },
  };
}

function describeScope({ permission, botScope }: ActionDefinition): string {
  if (permission.rule === "public") return "";
  if (botScope === null) return "Not for bots.";
  return botScope === "any" ? "Bots need no scope." : `Bots need the scope \`${botScope}\`.`;
}

function describeLimit({ points, durationMs, perAddress, perValueOf }: ActionRateLimit): string {
  const atMost = (limit: RateLimit): string =>
    `At most ${limit.points} calls in ${limit.durationMs / 1000} s`;
  const parts = [`${atMost({ points, durationMs })}${perAddress ? " per user and per address" : ""}.`];
  if (perValueOf !== undefined) {
    const { param, pointsPerAddress, onlyFailures } = perValueOf;
    const fromOne = pointsPerAddress === undefined ? "" : `, ${pointsPerAddress} of them from one address`;
    const failures = onlyFailures ? " Only failures count." : "";
    parts.push(`${atMost(perValueOf)} for one ${param}${fromOne}.${failures}`);
  }
  return parts.join(" ");
}

/** All errors of an action: its own, those of its permission rule, and the common ones. */
export function errorsOf(definition: ActionDefinition): ErrorCode[] {
  const { errors, permission } = definition;
  const ofSession: ErrorCode[] = ["UNAUTHENTICATED", "TOKEN_EXPIRED", "SESSION_REVOKED", "BOT_NOT_ALLOWED"];
  const ofRule: Record<PermissionRule["rule"], readonly ErrorCode[]> = {
    public: [],
    internal: [],
    session: ofSession,
    account: [...ofSession, "GUEST_NOT_ALLOWED"],
    admin: [...ofSession, "FORBIDDEN"],
    group: [...ofSession, "GROUP_NOT_FOUND", "FORBIDDEN"],
    channel: [...ofSession, "CHANNEL_NOT_FOUND", "FORBIDDEN"],
  };
  const ofMute: ErrorCode[] = isRefusedToMuted(permission) ? ["MUTED"] : [];
  const ofFactor: ErrorCode[] =
    permission.rule !== "internal" && needsSecondFactor(definition) ? ["SECOND_FACTOR_REQUIRED"] : [];
  return [
    ...new Set([...errors, ...ofRule[permission.rule], ...ofMute, ...ofFactor, ...COMMON_ERRORS]),
  ].sort();
}

function isRefusedToMuted(rule: PermissionRule): boolean {
  return "can" in rule && (rule.can === "sendMessages" || rule.can === "addReactions");
}

function errorResponses(codes: readonly ErrorCode[]): Json {
  const byStatus = Map.groupBy(codes, (code) => ERRORS[code].status);
  const responses = [...byStatus].map(([status, sameStatus]) => [
    String(status),
    { description: sameStatus.join(", "), content: json({ $ref: `${REFERENCE_ROOT}Error` }) },
  ]);
  return Object.fromEntries(responses);
}

function describeRule(rule: PermissionRule): string {
  switch (rule.rule) {
    case "public":
      return "anyone";
    case "session":
      return "any signed-in user, guests included";
    case "account":
      return "any signed-in user who is not a guest";
    case "group":
      return `members of the group with the permission \`${rule.can}\``;
    case "channel":
      return `users with the permission \`${rule.can}\` in the channel`;
    case "admin":
      return "admins of this instance";
    case "internal":
      return "other services only";
  }
}

const successResponse = (result: z.ZodType): Json => ({
  "200": { description: "Done.", content: json(successSchema(result)) },
});

export const successSchema = (result: z.ZodType): Json => ({
  type: "object",
  properties: { ok: { const: true }, data: schemaOf(result, "output") },
  required: ["ok", "data"],
});

const json = (schema: unknown): Json => ({ "application/json": { schema } });

/** Schemas with an id, which others refer to. */
export function sharedSchemas(): Json {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    io: "output",
    uri: (id) => `${REFERENCE_ROOT}${id}`,
  });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutHeader(schema)]));
}

export function schemaOf(schema: z.ZodType, io: "input" | "output"): unknown {
  const { $defs = {}, ...rest } = z.toJSONSchema(schema, { io, override: allowAdditions }) as Json & {
    $defs?: Json;
  };
  const moved = JSON.stringify(withoutHeader(rest)).replaceAll('"#/$defs/', `"${REFERENCE_ROOT}`);
  const unknown = Object.keys($defs).filter((id) => id.startsWith("__"));
  if (unknown.length > 0)
    throw new Error(`A schema without an id is used in several places: ${unknown.join(", ")}`);
  const whole = z.globalRegistry.get(schema)?.id;
  return whole === undefined ? JSON.parse(moved) : { $ref: `${REFERENCE_ROOT}${whole}` };
}

/** Later versions can add fields to a result, so clients must accept unknown fields. */
function allowAdditions({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}

function withoutHeader(schema: object): Json {
  const { $schema: _schema, $id: _id, id: _name, ...rest } = schema as Json;
  return rest;
}

export function errorSchema(): Json {
  return {
    type: "object",
    required: ["ok", "error"],
    properties: { ok: { const: false }, error: wireErrorSchema() },
  };
}

/** The error of a failed call, and the data of a `connect_error`. */
export function wireErrorSchema(): Json {
  return {
    type: "object",
    required: ["type", "message", "retryable", "requestId"],
    properties: {
      type: { enum: Object.keys(ERRORS).sort() },
      message: { type: "string", description: "for people" },
      data: { type: "object", description: "depends on the type: see /docs/build/errors.html" },
      retryable: { type: "boolean", description: "the same call may succeed later" },
      requestId: { type: "string" },
    },
  };
}
