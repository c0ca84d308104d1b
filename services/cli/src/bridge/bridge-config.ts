import { readFile } from "node:fs/promises";
import { z } from "zod";
import { CliError } from "../command.ts";
import { MAX_CHANNELS } from "./constants.ts";

const address = z.url({ protocol: /^https?$/, message: "must start with https:// or http://" });
const WEBHOOK = /^\/api\/webhooks\/[0-9a-f]{24}\/[\w-]+$/;

const schema = z.strictObject({
  url: address,
  botToken: z.string().startsWith("fbot.", "must be the token of a bot, which starts with fbot."),
  matterbridge: z.strictObject({ url: address, token: z.string().min(1, "must be the token of its API") }),
  channels: z
    .array(
      z.strictObject({
        gateway: z.string().min(1),
        webhook: z.string().refine((url) => WEBHOOK.test(URL.parse(url, "http://x")?.pathname ?? ""), {
          message: "must be the URL of a webhook, such as https://chat.example.org/api/webhooks/ID/TOKEN",
        }),
      }),
    )
    .min(1)
    .max(MAX_CHANNELS)
    .refine((channels) => new Set(channels.map(({ gateway }) => gateway)).size === channels.length, {
      message: "must have different gateways",
    }),
});

export interface BridgedChannel {
  /** The name of Matterbridge's gateway. */
  gateway: string;
  webhook: { url: string; webhookId: string; token: string };
}

export interface BridgeConfig {
  url: string;
  botToken: string;
  matterbridge: { url: string; token: string };
  channels: BridgedChannel[];
}

/** @throws {CliError} if the file can't be read, with all that is wrong in it */
export async function readBridgeConfig(path: string): Promise<BridgeConfig> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    throw new CliError(`${path} can't be read as JSON: ${(error as Error).message}`);
  }
  const { data, error } = schema.safeParse(json);
  if (error !== undefined) {
    const issues = error.issues.map(({ path: field, message }) => `\n  ${field.join(".")}: ${message}`);
    throw new CliError(`${path} has errors:${issues.join("")}`);
  }
  const { url } = data;
  return {
    ...data,
    channels: data.channels.map(({ gateway, webhook }) => {
      // The address of the server is always `url`, which may be one that only this machine reaches.
      const { pathname } = new URL(webhook, url);
      const [webhookId = "", token = ""] = pathname.split("/").slice(-2);
      return { gateway, webhook: { url: new URL(pathname, url).href, webhookId, token } };
    }),
  };
}
