import { createHmac, type Hmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { LIMITS } from "@fanfare/contract";
import { ServiceError, serviceError } from "@fanfare/kernel";
import type { FastifyRequest } from "fastify";
import { chunksOf } from "../files/store-file.ts";
import type { Payload } from "./kinds.ts";
import { type Form, type FormFile, isForm, readForm } from "./forms.ts";

export interface WebhookBody {
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
