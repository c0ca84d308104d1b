import { createHmac, type Hmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { LIMITS, type Params, type Result } from "@fanfare/contract";
import { invalid, ServiceError, serviceError } from "@fanfare/kernel";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import type { FastifyRequest } from "fastify";
import { FORM_HEADER_MAX_BYTES, FORM_MAX_FIELDS } from "../constants.ts";
import { abortUpload, chunksOf, storeFile, type StoreOptions } from "../files/store-file.ts";
import type { Payload } from "./kinds.ts";

interface WebhookBody {
  payload: Payload;
  files: readonly FormFile[];
  /** Whether its form has fields that only Discord names. */
  isOfDiscord: boolean;
}

/**
 * The payload and the files of a request.
 * @param secret of the webhook; null if it needs no signature
 * @throws {ServiceError} SIGNATURE_INVALID, MALFORMED_REQUEST, PAYLOAD_TOO_LARGE, VALIDATION_FAILED
 */
export async function readBody(
  { raw, headers, body }: FastifyRequest,
  secret: string | null,
): Promise<WebhookBody> {
  const hmac = createHmac("sha256", secret ?? "");
  const { "content-type": contentType, "content-length": length } = headers;
  let form: Form | null = null;
  let text = "";
  if (isForm(contentType)) {
    if (Number(length) > LIMITS.webhookFormMaxBytes) throw serviceError("PAYLOAD_TOO_LARGE");
    form = await readForm(chunksOf(raw), contentType, hmac).catch((error: unknown) => {
      if (error instanceof ServiceError || raw.complete) throw error;
      // The connection is lost.
      throw serviceError("MALFORMED_REQUEST");
    });
  } else if (Buffer.isBuffer(body)) {
    hmac.update(body);
    text = body.toString();
  }
  if (secret !== null && !isSigned(headers, hmac, secret)) throw serviceError("SIGNATURE_INVALID");
  if (form === null) return { payload: payloadOf(text), files: [], isOfDiscord: false };
  const { fields, files } = form;
  const json = fields.get("payload_json") ?? fields.get("payload");
  return {
    payload: json === undefined ? Object.fromEntries(fields) : parseJson(json),
    files,
    isOfDiscord: fields.has("payload_json") || files.some(({ field }) => /^files\[\d+\]$/.test(field)),
  };
}

/**
 * The JSON object of a body, or of a form's field `payload`, as Slack and GitHub send it.
 * @throws {ServiceError} MALFORMED_REQUEST
 */
function payloadOf(body: string): Payload {
  const json = body.trimStart();
  const form = json.startsWith("{") ? null : new URLSearchParams(body);
  const inForm = form?.get("payload") ?? form?.get("payload_json");
  if (form !== null && inForm == null && (form.has("text") || form.has("content")))
    return Object.fromEntries(form);
  return parseJson(inForm ?? json);
}

/** @throws {ServiceError} MALFORMED_REQUEST */
function parseJson(json: string): Payload {
  let payload: unknown;
  try {
    payload = JSON.parse(json);
  } catch {
    throw serviceError("MALFORMED_REQUEST");
  }
  if (typeof payload !== "object" || payload === null || Array.isArray(payload))
    throw serviceError("MALFORMED_REQUEST");
  return payload as Payload;
}

/** Headers with the hexadecimal HMAC-SHA256 of the body, as GitHub, Gitea, Forgejo, Gogs and Sentry send it. */
const SIGNATURES = [
  "x-hub-signature-256",
  "x-gitea-signature",
  "x-forgejo-signature",
  "x-gogs-signature",
  "sentry-hook-signature",
];
/** GitLab sends the secret itself. */
const TOKEN = "x-gitlab-token";

/**
 * Whether a request comes from a program that knows the secret.
 * @param hmac of the body
 */
export function isSigned(headers: IncomingHttpHeaders, hmac: Hmac, secret: string): boolean {
  const token = headers[TOKEN];
  if (typeof token === "string" && isSame(token, secret)) return true;
  const expected = hmac.digest("hex");
  return SIGNATURES.some((name) => {
    const value = headers[name];
    return typeof value === "string" && isSame(value.replace(/^sha256=/, "").toLowerCase(), expected);
  });
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

interface FormFile {
  /** The name of the form's field. */
  field: string;
  /** Empty if the form has none. */
  name: string;
  chunks: readonly Buffer[];
  /** Of all chunks together. */
  bytes: number;
}

interface Form {
  fields: ReadonlyMap<string, string>;
  files: readonly FormFile[];
}

export const isForm = (contentType: string | undefined): contentType is string =>
  /^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType ?? "");

/**
 * Reads a form and its files into memory.
 * @param hmac is updated with the bytes as they were received
 * @throws {ServiceError} PAYLOAD_TOO_LARGE, VALIDATION_FAILED
 */
export async function readForm(
  chunks: AsyncIterable<Buffer>,
  contentType: string,
  hmac: Hmac | null = null,
): Promise<Form> {
  const fields = new Map<string, string>();
  const files: FormFile[] = [];
  const refusals: ServiceError[] = [];
  const refuse = (error: ServiceError): void => void refusals.push(error);
  const parser = createParser(contentType);
  parser.on("field", (field: string | undefined, value, _isFieldCut, isCut) => {
    if (isCut) refuse(serviceError("PAYLOAD_TOO_LARGE"));
    else if (field !== undefined) fields.set(field, value);
  });
  parser.on("file", (field: string | undefined, stream, name: string | undefined) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    stream.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
    });
    stream.on("error", () => refuse(malformed()));
    stream.on("end", () => {
      // Browsers send an empty one for a field without a chosen file.
      if ((name ?? "") !== "" || bytes > 0)
        files.push({ field: field ?? "", name: name ?? "", chunks, bytes });
    });
  });
  parser.on("filesLimit", () => refuse(invalid("files", `must be at most ${LIMITS.attachmentsPerMessage}`)));
  for (const limit of ["fieldsLimit", "partsLimit"] as const)
    parser.on(limit, () => refuse(invalid("form", `must have at most ${FORM_MAX_FIELDS} fields`)));
  const ended = new Promise<void>((resolve) => {
    parser.once("finish", resolve);
    parser.on("error", () => {
      refuse(malformed());
      resolve();
    });
  });
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > LIMITS.webhookFormMaxBytes) refuse(serviceError("PAYLOAD_TOO_LARGE"));
    if (refusals.length > 0) break;
    hmac?.update(chunk);
    parser.write(chunk);
  }
  if (refusals.length === 0) {
    parser.end();
    await ended;
  }
  if (refusals[0] !== undefined) throw refusals[0];
  return { fields, files };
}

const malformed = (): ServiceError =>
  invalid("form", "is incomplete or malformed: send it as multipart/form-data, with its boundary");

function createParser(contentType: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      limits: {
        fieldSize: LIMITS.webhookBodyMaxBytes,
        fields: FORM_MAX_FIELDS,
        files: LIMITS.attachmentsPerMessage,
        parts: FORM_MAX_FIELDS + LIMITS.attachmentsPerMessage,
        headerSize: FORM_HEADER_MAX_BYTES,
      },
    });
  } catch {
    throw malformed();
  }
}

type Post = Omit<Params<"webhook.executeWithFiles">, "attachmentIds">;

/** One character of a name that a file can't have. */
const NOT_IN_NAMES = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Uploads files one after another, and posts them as one message. If anything fails, or they were already posted, they are deleted.
 * @throws {ServiceError} those of `webhook.startUpload`, `file.finishUpload` and `webhook.executeWithFiles`
 */
export async function postFiles(
  options: StoreOptions,
  post: Post,
  files: readonly FormFile[],
): Promise<Result<"webhook.execute">> {
  const { node, calls } = options;
  const { webhook } = node.services;
  const { webhookId, token } = post;
  const empty = files.findIndex(({ bytes }) => bytes === 0);
  if (empty >= 0) throw invalid(`files.${empty}`, "is empty");
  const attachmentIds: string[] = [];
  try {
    for (const { name, chunks, bytes } of files) {
      const upload = { webhookId, token, name: nameOf(name), bytes };
      const { fileId } = await calls.change(() => webhook.startUpload(upload));
      await storeFile(options, fileId, chunks, bytes);
      attachmentIds.push(fileId);
    }
    const sent = { ...post, attachmentIds };
    const {
      messageId,
      channelId,
      attachmentIds: kept,
    } = await calls.change(() => webhook.executeWithFiles(sent));
    // A message with this nonce was already posted, with its own files.
    const unused = attachmentIds.filter((fileId) => !kept.includes(fileId));
    for (const fileId of unused) await abortUpload(options, fileId);
    return { messageId, channelId };
  } catch (error) {
    for (const fileId of attachmentIds) await abortUpload(options, fileId);
    throw error;
  }
}

function nameOf(name: string): string {
  const shown = name.toWellFormed().replace(NOT_IN_NAMES, "_").trim();
  return shown === "" ? "file" : shown.slice(-LIMITS.fileNameMaxChars).toWellFormed();
}
