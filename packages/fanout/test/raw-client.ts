import { once } from "node:events";
import { WebSocket } from "ws";

/** A minimal Socket.IO client on a raw WebSocket: cheap enough for thousands, and it can stop reading. */
export interface RawClient {
  readonly ws: WebSocket;
  readonly id: string;
  /** `[event, ...args]` in order of arrival. */
  readonly received: unknown[][];
}

export async function rawClient(port: number): Promise<RawClient> {
  const ws = new WebSocket(`ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`, {
    perMessageDeflate: false,
  });
  const received: unknown[][] = [];
  const id = await new Promise<string>((resolve, reject) => {
    ws.once("error", reject);
    ws.on("message", (data: Buffer) => {
      const text = data.toString();
      if (text.startsWith("0")) ws.send("40");
      else if (text.startsWith("40")) resolve((JSON.parse(text.slice(2)) as { sid: string }).sid);
      else if (text.startsWith("42")) received.push(JSON.parse(text.slice(2)) as unknown[]);
    });
  });
  return { ws, id, received };
}

/** Opens `count` clients, 200 at a time. */
export async function rawClients(port: number, count: number): Promise<RawClient[]> {
  const clients: RawClient[] = [];
  while (clients.length < count) {
    const some = Math.min(200, count - clients.length);
    clients.push(...(await Promise.all(Array.from({ length: some }, () => rawClient(port)))));
  }
  return clients;
}

export async function closed(client: RawClient): Promise<void> {
  if (client.ws.readyState !== WebSocket.CLOSED) await once(client.ws, "close");
}
