import type { FileUrl, StoredFile, WireAnswer } from "@fanfare/contract";
import { must, type Person } from "@fanfare/testing";

type Answer = WireAnswer<{ file: StoredFile }>;

interface UploadParams {
  channelId: string;
  name: string;
  type?: string;
  /** Of a voice message. */
  durationMs?: string;
  peaks?: string;
}

/** Uploads like a page does: the request body is the file. */
export async function upload(
  url: string,
  who: Pick<Person, "accessToken"> | null,
  { type = "text/plain", ...params }: UploadParams,
  body: string | Buffer,
): Promise<Answer> {
  const query = new URLSearchParams({ ...params });
  return send(`${url}/api/file.upload?${query.toString()}`, who, type, body);
}

export async function uploadPicture(url: string, who: Pick<Person, "accessToken">, body: string | Buffer) {
  return send(`${url}/api/file.uploadPicture`, who, "image/png", body);
}

async function send(
  address: string,
  who: Pick<Person, "accessToken"> | null,
  type: string,
  body: string | Buffer,
): Promise<Answer> {
  const response = await fetch(address, {
    method: "POST",
    headers: {
      "content-type": type,
      ...(who !== null && { authorization: `Bearer ${who.accessToken}` }),
    },
    body: typeof body === "string" ? body : new Uint8Array(body),
  });
  return (await response.json()) as Answer;
}

export function fileOf(answer: Answer): StoredFile {
  if (!answer.ok) throw new Error(`the upload failed: ${JSON.stringify(answer.error)}`);
  return answer.data.file;
}

export async function urlOf(url: string, who: Person, fileId: string): Promise<FileUrl> {
  return must(url, "file.getUrl", { fileId }, who.accessToken);
}
