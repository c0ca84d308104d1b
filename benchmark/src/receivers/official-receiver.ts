import { io } from "socket.io-client";
import * as msgpack from "socket.io-msgpack-parser";
import { WebSocket } from "ws";
import type { SocketIoDialect, WebSocketDialect } from "../targets/plugin.ts";
import { closeCode } from "./light-socket.ts";
import { longPollReceivers } from "./long-poll-receiver.ts";
import { decodePacket, obey, packetOf, type Packet } from "./packet.ts";
import {
  ending,
  type Assignment,
  type OpenReceiver,
  type Receiver,
  type ReceiverObserver,
  type ReceiverOptions,
} from "./receiver.ts";

/** Receivers with the real clients: socket.io-client, `ws` for other WebSockets, and Node's HTTP client. */
export function officialReceivers({ dialect, ...options }: ReceiverOptions): OpenReceiver {
  switch (dialect.transport) {
    case "socket.io":
      return (assignment, observer) => openSocketIo({ ...options, dialect }, assignment, observer);
    case "websocket":
      return (assignment, observer) => openWebSocket({ ...options, dialect }, assignment, observer);
    case "long-poll":
      return longPollReceivers({ ...options, dialect });
  }
}

/** Socket.IO's reasons for a disconnect, as light receivers call them. */
const CODES: Record<string, string> = {
  "transport close": "CONNECTION_CLOSED",
  "io server disconnect": "SERVER_DISCONNECT",
  "parse error": "INVALID_JSON",
};

function openSocketIo(
  options: ReceiverOptions<SocketIoDialect>,
  assignment: Assignment,
  observer: ReceiverObserver,
): Receiver {
  const { urls, dialect, runId } = options;
  const { receiver, credential, localAddress, server } = assignment;
  const { path = dialect.path, headers } = dialect.upgrade?.(credential) ?? {};
  const address = new URL(path, urls[server]);
  const socket = io(urls[server]!.href, {
    path: address.pathname,
    query: Object.fromEntries(address.searchParams),
    transports: ["websocket"],
    forceNew: true,
    reconnection: false,
    ...(dialect.parser === "msgpack" ? { parser: msgpack } : {}),
    ...(credential === null ? {} : { auth: { token: credential } }),
    ...(headers ? { extraHeaders: headers } : {}),
    // Supported by its transport in Node, though missing in its types.
    ...(localAddress === undefined ? {} : ({ localAddress } as object)),
  });
  const { end, destroy } = ending(receiver, observer, () => socket.disconnect());
  const handle = (event: string, payload: unknown) =>
    obey(packetOf(dialect.read(event, payload), runId), receiver, observer, { end });
  const { hello } = dialect;
  socket.on("connect", () => {
    if (hello) socket.emit(hello.event, hello.payload, (answer: unknown) => handle(hello.event, answer));
    if (!dialect.waitsForReady) observer.online(receiver);
  });
  socket.on("connect_error", (error: Error & { data?: { type?: string } }) =>
    end(error.data?.type ?? error.message),
  );
  socket.on("disconnect", (reason) => end(CODES[reason] ?? reason));
  socket.onAny(handle);
  return { close: () => socket.disconnect(), destroy };
}

function openWebSocket(
  options: ReceiverOptions<WebSocketDialect>,
  assignment: Assignment,
  observer: ReceiverObserver,
): Receiver {
  const { receiver, credential, localAddress, server } = assignment;
  const { dialect, runId } = options;
  const url = options.urls[server]!;
  const { path = dialect.path, headers = {} } = dialect.upgrade?.(credential) ?? {};
  const address = new URL(path, url);
  address.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address, {
    perMessageDeflate: false,
    headers,
    ...(localAddress === undefined ? {} : { localAddress }),
  });
  let heartbeat: NodeJS.Timeout | undefined;
  const { end, destroy } = ending(receiver, observer, () => {
    clearInterval(heartbeat);
    socket.terminate();
  });
  let isReady = !dialect.waitsForReady;
  socket.on("open", () => {
    if (dialect.hello) socket.send(dialect.hello(credential));
    if (dialect.heartbeat) {
      const { everyMs, frame } = dialect.heartbeat;
      heartbeat = setInterval(() => socket.send(frame), everyMs);
    }
    if (isReady) observer.online(receiver);
  });
  socket.on("message", (data: Buffer, isBinary) => {
    const packet = decodePacket(
      isBinary ? data : data.toString(),
      dialect,
      runId,
      isReady ? null : credential,
    );
    isReady ||= isReadyIn(packet);
    obey(packet, receiver, observer, { end, send: (frame) => socket.send(frame) });
  });
  socket.on("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  socket.on("close", (status, reason) => end(closeCode(status, reason.toString())));
  return { close: () => socket.close(), destroy };
}

function isReadyIn(packet: Packet): boolean {
  return packet.kind === "several" ? packet.packets.some(isReadyIn) : packet.kind === "ready";
}
