import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { isOnPath, startLiveKit, type LiveKitServer } from "@fanfare/testing";

/** Values of HOST that mean all addresses, and the default. */
const ANY_ADDRESS = new Set(["", "0.0.0.0", "::"]);

export interface Calls {
  livekit: LiveKitServer;
  /** The settings with which Fanfare uses it. */
  settings: Record<string, string>;
}

/**
 * Starts a LiveKit server for calls if one is installed and the environment has no settings for another. It has a new key each time.
 * @param env the environment of the Fanfare that uses it
 * @param say prints a line
 */
export async function startCalls(
  env: Record<string, string | undefined>,
  say: (line: string) => void,
): Promise<Calls | null> {
  const isSet = Object.entries(env).some(([name, value]) => name.startsWith("LIVEKIT_") && value);
  if (isSet || !isOnPath("livekit-server")) return null;
  const [key, secret] = [randomBytes(9).toString("hex"), randomBytes(32).toString("hex")];
  const folder = resolve(env["DATA_DIR"] || ".fanfare", "livekit");
  const webhookUrl = `${gatewayUrl(env)}/api/livekit/webhook`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const livekit = await startLiveKit({ key, secret, webhookUrl, folder });
    say(`Started livekit-server for calls on ${livekit.url}. Its log: ${livekit.logFile}`);
    return { livekit, settings: { LIVEKIT_URL: livekit.url, LIVEKIT_KEY: key, LIVEKIT_SECRET: secret } };
  } catch (error) {
    say(`Calls are off, because livekit-server failed to start. ${(error as Error).message}`);
    return null;
  }
}

function gatewayUrl(env: Record<string, string | undefined>): string {
  const host = env["HOST"] ?? "";
  const address = ANY_ADDRESS.has(host) ? "127.0.0.1" : host;
  return `http://${address.includes(":") ? `[${address}]` : address}:${env["PORT"] || "3000"}`;
}
