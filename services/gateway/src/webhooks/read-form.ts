import type { Hmac } from "node:crypto";
import { LIMITS } from "@fanfare/contract";
import { invalid, type ServiceError, serviceError } from "@fanfare/kernel";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { FORM_HEADER_MAX_BYTES, FORM_MAX_FIELDS } from "../constants.ts";

export interface FormFile {
  /** The name of the form's field. */
  field: string;
  /** Empty if the form has none. */
  name: string;
  chunks: readonly Buffer[];
  /** Of all chunks together. */
  bytes: number;
}

export interface Form {
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
