import { type ChannelView, FanfareError } from "@fanfare/client";
import { type Bot, createBot } from "@fanfare/client/bots";
import { z } from "zod";
import { CliError, command } from "../command.ts";
import { type BridgeConfig, type BridgedChannel, readBridgeConfig } from "./bridge-config.ts";
import { isOk, Matterbridge, type RemoteMessage, request } from "./matterbridge.ts";
import { Names, sendToMatterbridge } from "./to-matterbridge.ts";
import { postToFanfare } from "./to-fanfare.ts";
import { MAX_QUEUED_CHARS, MAX_QUEUED_PER_CHANNEL } from "./constants.ts";

export const bridgeCommand = command({
  command: "bridge <file>",
  describe: "Connect channels with IRC, Matrix and other networks, through a Matterbridge",
  builder: (yargs) =>
    yargs.positional("file", { type: "string", demandOption: true, describe: "The configuration, as JSON" }),
  async handler({ file }) {
    const config = await readBridgeConfig(file);
    const stopping = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort());
    await runBridge(config, { signal: stopping.signal, log: (line) => console.log(line) });
  },
});

interface BridgeOptions {
  signal: AbortSignal;
  log: (line: string) => void;
}

/**
 * Connects channels with the gateways of a Matterbridge, until `signal` is aborted.
 * @throws {CliError} if the bot, a webhook or the token of Matterbridge can't be used
 */
export async function runBridge(config: BridgeConfig, { signal, log }: BridgeOptions): Promise<void> {
  const { url, botToken: token } = config;
  const ended = new AbortController();
  const until = AbortSignal.any([signal, ended.signal]);
  const matterbridge = new Matterbridge({ ...config.matterbridge, log });
  await matterbridge.check(until);
  const bot = createBot({ url, token, onError: (error) => log(String(error)) });
  let lost: CliError | null = null;
  bot.client.on("connection.changed", ({ state, error }) => {
    if (state !== "closed" || error === undefined) return;
    lost = new CliError(`The bot was disconnected. ${error.message}`);
    ended.abort();
  });
  try {
    await bot.start();
    const { id: botId, groupId } = bot.info;
    const names = new Names(bot.call, groupId);
    const views = new Map<BridgedChannel, ChannelView>();
    for (const channel of config.channels) views.set(channel, await openChannel(bot, channel, config, until));
    log(`Bridging ${views.size} channel${views.size === 1 ? "" : "s"}.`);
    const common = { matterbridge, names, call: bot.call, url, botId, log };
    await Promise.all([
      receive(config, matterbridge, { signal: until, log }),
      ...[...views].map(([{ gateway }, view]) => sendToMatterbridge({ ...common, view, gateway }, until)),
    ]);
  } catch (error) {
    if (until.aborted) return rethrow(lost);
    throw error instanceof FanfareError ? new CliError(`Fanfare at ${url}: ${error.message}`) : error;
  } finally {
    ended.abort();
    bot.stop();
  }
  rethrow(lost);
}

function rethrow(error: Error | null): void {
  if (error !== null) throw error;
}

const checked = z.object({ data: z.object({ channelId: z.string() }) });

async function openChannel(
  bot: Bot,
  { gateway, webhook: { webhookId, token } }: BridgedChannel,
  { url }: BridgeConfig,
  signal: AbortSignal,
): Promise<ChannelView> {
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify({ webhookId, token }) };
  const answer = await request(new URL("/api/webhook.check", url).href, init, signal);
  if (!isOk(answer))
    throw new CliError(`The webhook of the gateway "${gateway}" can't be used. ${answer.body}`);
  const { channelId } = checked.parse(JSON.parse(answer.body)).data;
  const view = bot.client.channel(channelId);
  await view.load().catch((error: unknown) => {
    if (!(error instanceof FanfareError)) throw error;
    throw new CliError(`The bot can't read the channel of the gateway "${gateway}". ${error.message}`);
  });
  return view;
}

/** Posts what comes from other networks. */
async function receive(
  config: BridgeConfig,
  matterbridge: Matterbridge,
  options: BridgeOptions,
): Promise<void> {
  const channels = new Map(config.channels.map((channel) => [channel.gateway, channel]));
  await postAll(matterbridge.messages(options.signal), async (message) => {
    const channel = channels.get(message.gateway);
    if (channel !== undefined) await postToFanfare(message, channel, options);
  });
}

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
