import { StoredCopies } from "../../receivers/message-tag.ts";
import { senderOf, turnOf } from "../requests/loops.ts";
import { openSendLoad } from "../requests/send-load.ts";
import { measureLoad } from "./load-run.ts";
import type { LoadContext, Scene, SceneChannel } from "./load.ts";

/** Read back at the same time. */
const CHANNELS_AT_ONCE = 16;

/**
 * Connects everyone in the scene who is to be online, sends what the plan says, waits for the last delivery and
 * reads back what is stored. On an abort signal, the measurement has everything up to then.
 * @throws {ExitError} if someone could not be connected
 */
export async function measureSends(context: LoadContext, scene: Scene) {
  const { target, plan, progress, signal } = context;
  const { channels, senders } = scene;
  const { loop } = plan;
  const { length } = senders;
  const people = {
    ...scene,
    sendersReceive: true,
    // As the loop makes the requests.
    channelOf: (message: number) =>
      scene.channelOf(senderOf(message, loop, length), turnOf(message, loop, length)),
  };
  const sends = await openSendLoad(target, people, { ...plan, requests: loop.requests }, signal);
  const { memory, threads, audience, runId } = sends;
  return measureLoad(context, {
    name: "send",
    threads,
    memory,
    senders: length,
    scene: scene.size,
    registration: scene.registration,
    audience,
    connect: () => sends.connect(progress),
    readBack: async (acknowledged) => {
      const stored = new StoredCopies(runId, memory.requests);
      const count = () => readChannels(context, channels, stored);
      await progress.during("reading back stored messages", acknowledged, () => stored.found, count);
      return stored.copies;
    },
  });
}

async function readChannels(
  { target, signal }: LoadContext,
  channels: readonly SceneChannel[],
  stored: StoredCopies,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < channels.length) {
      const { id, reader } = channels[next++]!;
      for await (const { content } of target.api.messages(id, () => reader.token(), signal))
        stored.add(content);
    }
  };
  await Promise.all(Array.from({ length: Math.min(CHANNELS_AT_ONCE, channels.length) }, lane));
}
