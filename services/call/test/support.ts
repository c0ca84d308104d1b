import { freePort, type LiveKitServer, must, startLiveKit } from "@fanfare/testing";
import type { Result } from "@fanfare/contract";
import { type Instance, startInstance } from "../../../test/support/instance.ts";

export const KEY = "test-key";
export const SECRET = "a secret of LiveKit with 32 or more characters";

export interface Calls {
  instance: Instance;
  livekit: LiveKitServer;
  stop(): Promise<void>;
}

/** A complete instance with a real LiveKit server that sends its webhooks there. */
export async function startCalls(): Promise<Calls> {
  const port = await freePort();
  const livekit = await startLiveKit({
    key: KEY,
    secret: SECRET,
    webhookUrl: `http://127.0.0.1:${port}/api/livekit/webhook`,
  });
  const instance = await startInstance({
    PORT: String(port),
    LIVEKIT_URL: livekit.url,
    LIVEKIT_SERVER_URL: livekit.serverUrl,
    LIVEKIT_KEY: KEY,
    LIVEKIT_SECRET: SECRET,
  });
  return {
    instance,
    livekit,
    async stop() {
      await instance.stop();
      await livekit.stop();
    },
  };
}

/** A connection for LiveKit's signals, without media: LiveKit lists its user as a participant. */
export interface Signal {
  /** Resolves when LiveKit has closed it. */
  closed: Promise<void>;
  close(): void;
}

/** @throws {Error} if LiveKit refuses the token */
export async function connectSignal({
  url,
  token,
}: Pick<Result<"call.join">, "url" | "token">): Promise<Signal> {
  const parameters = new URLSearchParams({
    access_token: token,
    protocol: "15",
    auto_subscribe: "1",
    sdk: "js",
  });
  const socket = new WebSocket(`${url}/rtc?${parameters.toString()}`);
  socket.binaryType = "arraybuffer";
  const closed = new Promise<void>((resolve) => socket.addEventListener("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("message", () => resolve(), { once: true });
    socket.addEventListener("error", () => reject(new Error("LiveKit refused the connection")));
    socket.addEventListener("close", () => reject(new Error("LiveKit closed the connection")));
  });
  return { closed, close: () => socket.close() };
}

/** Joins the call of a channel and connects to LiveKit. */
export async function joinCall(url: string, channelId: string, { accessToken }: { accessToken: string }) {
  const joined = await must(url, "call.join", { channelId }, accessToken);
  return { ...joined, signal: await connectSignal(joined) };
}
