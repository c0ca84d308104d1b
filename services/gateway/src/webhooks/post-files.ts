import { LIMITS, type Params, type Result } from "@fanfare/contract";
import { invalid } from "@fanfare/kernel";
import { abortUpload, storeFile, type StoreOptions } from "../files/store-file.ts";
import type { FormFile } from "./read-form.ts";

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
