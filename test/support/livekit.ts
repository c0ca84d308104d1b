import { freePort, type LiveKitServer, startLiveKit } from "@fanfare/testing";

/** An API key of the server, and its secret. */
export const KEY = "test-key";
export const SECRET = "a secret of LiveKit with 32 or more characters";

/** Starts a real LiveKit server for an instance that has these settings: it sends its webhooks there. */
export async function startCallServer(): Promise<{ livekit: LiveKitServer; env: Record<string, string> }> {
  const port = await freePort();
  const webhookUrl = `http://127.0.0.1:${port}/api/livekit/webhook`;
  const livekit = await startLiveKit({ key: KEY, secret: SECRET, webhookUrl });
  const env = {
    PORT: String(port),
    LIVEKIT_URL: livekit.url,
    LIVEKIT_SERVER_URL: livekit.serverUrl,
    LIVEKIT_KEY: KEY,
    LIVEKIT_SECRET: SECRET,
  };
  return { livekit, env };
}
