import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test, vi } from "vitest";
import { freePort } from "../src/ports.ts";
import { hasLiveKit, startLiveKit, type LiveKitServer } from "../src/servers.ts";

const KEY = "test-key";
const SECRET = "a-secret-of-32-or-more-characters";
const TOKEN_SECONDS = 600;

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
const sign = (content: string, secret: string): string =>
  createHmac("sha256", secret).update(content).digest("base64url");

function token(secret: string): string {
  const grants = { roomCreate: true, roomList: true };
  const exp = Math.floor(Date.now() / 1000) + TOKEN_SECONDS;
  const content = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ iss: KEY, exp, video: grants })}`;
  return `${content}.${sign(content, secret)}`;
}

function call(
  { serverUrl }: LiveKitServer,
  method: string,
  params: object,
  secret = SECRET,
): Promise<Response> {
  return fetch(`${serverUrl}/twirp/livekit.RoomService/${method}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token(secret)}`, "content-type": "application/json" },
    body: JSON.stringify(params),
  });
}

/** Events that arrive with a valid signature. */
async function receiveWebhooks() {
  const events: { event: string; room?: { name: string } }[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const [header, claims, signature] = String(request.headers.authorization).split(".");
    const { sha256 } = JSON.parse(Buffer.from(claims!, "base64url").toString()) as { sha256: string };
    const isSigned = sign(`${header}.${claims}`, SECRET) === signature;
    if (isSigned && createHash("sha256").update(body).digest("base64") === sha256)
      events.push(JSON.parse(body));
    response.end();
  };
  const server = createServer((request, response) => void receive(request, response));
  server.listen(await freePort(), "127.0.0.1");
  await once(server, "listening");
  return { events, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

describe.skipIf(!hasLiveKit())("startLiveKit", () => {
  test("starts a server with a key of its own that reports what happens", async () => {
    const { events, server, url } = await receiveWebhooks();
    const livekit = await startLiveKit({ key: KEY, secret: SECRET, webhookUrl: url });
    try {
      expect(livekit.url).toBe(`ws://127.0.0.1:${livekit.port}`);
      expect(
        (await call(livekit, "CreateRoom", { name: "lobby" }, "another-secret-of-32-characters-")).status,
      ).toBe(401);
      const created = await call(livekit, "CreateRoom", { name: "lobby" });
      expect(await created.json()).toMatchObject({ name: "lobby" });
      await call(livekit, "DeleteRoom", { room: "lobby" });
      await vi.waitFor(() =>
        expect(events.map(({ event, room }) => [event, room?.name])).toEqual([
          ["room_started", "lobby"],
          ["room_finished", "lobby"],
        ]),
      );
    } finally {
      await livekit.stop();
      server.close();
    }
  });

  test("rejects with what the server printed if it doesn't start", async () => {
    const failed = startLiveKit({ key: KEY, secret: SECRET, port: -1 });
    await expect(failed).rejects.toThrow(/could not parse config/);
  });
});
