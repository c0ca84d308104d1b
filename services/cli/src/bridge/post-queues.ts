import { MAX_QUEUED_CHARS, MAX_QUEUED_PER_CHANNEL } from "./constants.ts";
import type { RemoteMessage } from "./matterbridge.ts";

interface Queued {
  chars: number;
  posted: Promise<void>;
}

const charsOf = ({ Extra }: RemoteMessage): number =>
  Extra.file.reduce((sum, { Data: { length } }) => sum + length, 0);

/**
 * Posts the messages of each gateway one after another, so that a slow channel doesn't hold up the others. Reads no further while the
 * queue of a channel, or all together, are full.
 * @throws what `post` throws
 */
export async function postAll(
  messages: AsyncIterable<RemoteMessage>,
  post: (message: RemoteMessage) => Promise<void>,
): Promise<void> {
  const queues = new Map<string, Queued[]>();
  const failed = Promise.withResolvers<never>();

  const hasRoom = (queue: readonly Queued[], chars: number): boolean => {
    const queued = [...queues.values()].flat().reduce((sum, one) => sum + one.chars, 0);
    return queue.length < MAX_QUEUED_PER_CHANNEL && (queued === 0 || queued + chars <= MAX_QUEUED_CHARS);
  };
  const postAfter = async (last: Promise<void> | undefined, message: RemoteMessage, queue: Queued[]) => {
    await last;
    await post(message);
    queue.shift();
  };
  const read = async (): Promise<void> => {
    for await (const message of messages) {
      const queue = queues.get(message.gateway) ?? [];
      queues.set(message.gateway, queue);
      const chars = charsOf(message);
      while (!hasRoom(queue, chars))
        await Promise.race([...queues.values()].flatMap(([next]) => next?.posted ?? []));
      const posted = postAfter(queue.at(-1)?.posted, message, queue);
      posted.catch(failed.reject);
      queue.push({ chars, posted });
    }
    await Promise.all([...queues.values()].flat().map(({ posted }) => posted));
  };
  await Promise.race([read(), failed.promise]);
}
