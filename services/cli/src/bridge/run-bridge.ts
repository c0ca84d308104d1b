import { type ChannelView, FanfareError } from "@fanfare/client";
import { type Bot, createBot } from "@fanfare/client/bots";
import { z } from "zod";
import { CliError } from "../command.ts";
import type { BridgeConfig, BridgedChannel } from "./bridge-config.ts";
import { Matterbridge } from "./matterbridge.ts";
import { Names } from "./names.ts";
import { postAll } from "./post-queues.ts";
import { isOk, request } from "./requests.ts";
import { postToFanfare } from "./to-fanfare.ts";
import { sendToMatterbridge } from "./to-matterbridge.ts";

export interface BridgeOptions {
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
