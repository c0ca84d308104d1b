import type { BotScope, Params } from "@fanfare/contract";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createWorld, must, type World } from "@fanfare/testing";
import { io, type Socket } from "socket.io-client";

/** A group with a bot in it. */
export interface Place {
  world: World;
  botId: string;
  token: string;
  channelId: string;
  groupId: string;
}

const ALL: BotScope[] = ["group.read", "messages.read", "messages.write", "commands", "events"];

export async function createPlace(url: string, scopes: BotScope[] = ALL): Promise<Place> {
  const world = await createWorld(url);
  const groupId = world.group.id;
  const { bot, token } = await must(
    url,
    "bot.create",
    { groupId, name: "Robot", scopes },
    world.owner.accessToken,
  );
  return { world, botId: bot.id, token, channelId: world.channel.id, groupId };
}

export async function connectSocket(url: string, token: string): Promise<Socket> {
  const socket = io(url, { transports: ["websocket"], forceNew: true, auth: { token } });
  await new Promise<void>((resolve, reject) => {
    socket.once("ready", () => resolve());
    socket.once("connect_error", reject);
  });
  return socket;
}

let nonces = 0;
export const say = (channelId: string, content: string): Params<"message.send"> => ({
  channelId,
  content,
  nonce: `n${(nonces += 1)}`,
});

export interface Received {
  headers: IncomingMessage["headers"];
  text: string;
  body: { deliveryId: string; events: { type: string; [key: string]: unknown }[] };
}

/** A status, or a body with status 200. */
type Response = number | object | string;

/** A server that receives callbacks. */
export async function createReceiver(
  responseOf: (received: Received, count: number) => Response | Promise<Response> = () => 204,
) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", async () => {
      const text = Buffer.concat(chunks).toString();
      const one = { headers: request.headers, text, body: JSON.parse(text) as Received["body"] };
      received.push(one);
      const answer = await responseOf(one, received.length);
      if (typeof answer === "number") response.writeHead(answer).end();
      else response.writeHead(200).end(typeof answer === "string" ? answer : JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

export async function until<T>(look: () => T | Promise<T>, maxMs = 60_000): Promise<NonNullable<T>> {
  const endMs = Date.now() + maxMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (Date.now() > endMs) throw new Error("It did not happen in time.");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
