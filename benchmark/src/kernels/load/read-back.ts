import { taggedIndex } from "../../receivers/message-tag.ts";
import type { Progress } from "../../report/progress.ts";
import type { Api } from "../../targets/fanfare/api.ts";
import type { SceneChannel } from "./scene.ts";

const CONCURRENCY = 16;
/** A larger number of copies of a message is counted as this. */
const MOST_COPIES = 255;

export interface ReadBackContext {
  api: Api;
  channels: readonly SceneChannel[];
  runId: string;
  messages: number;
  /** Expected number of messages. */
  acknowledged: number;
  progress: Progress;
  signal: AbortSignal;
}

/**
 * Reads all channels through the API.
 * @returns how often each message of the run is stored
 */
export async function readBack(context: ReadBackContext): Promise<Uint8Array> {
  const { channels, messages, acknowledged, progress } = context;
  const copies = new Uint8Array(messages);
  let found = 0;
  let next = 0;
  const count = (content: string) => {
    const index = taggedIndex(context.runId, content);
    if (index < 0 || index >= messages) return;
    found++;
    if (copies[index]! < MOST_COPIES) copies[index]!++;
  };
  const lane = async () => {
    while (next < channels.length) await readChannel(context, channels[next++]!, count);
  };
  await progress.during(
    "reading back stored messages",
    acknowledged,
    () => found,
    () => Promise.all(Array.from({ length: Math.min(CONCURRENCY, channels.length) }, lane)),
  );
  return copies;
}

async function readChannel(
  { api, signal }: ReadBackContext,
  { id, reader }: SceneChannel,
  count: (content: string) => void,
): Promise<void> {
  for await (const { content } of api.messages(id, () => reader.token(), signal)) count(content);
}
