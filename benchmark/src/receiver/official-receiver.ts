import { io } from "socket.io-client";
import { WebSocket } from "ws";
import type { Dialect } from "../targets/dialect.ts";
import { taggedIndex } from "./message-tag.ts";
import type { Assignment, OpenReceiver, Receiver, ReceiverObserver } from "./receiver.ts";

export interface OfficialOptions {
  urls: readonly URL[];
  dialect: Dialect;
  runId: string;
}

/** Receivers made of the clients that people use: socket.io-client, or `ws` for a bare WebSocket. */
export function officialReceivers(options: OfficialOptions): OpenReceiver {
  const open = options.dialect.transport === "socket.io" ? openSocketIo : openWebSocket;
  return (assignment, observer) => open(options, assignment, observer);
}

function openSocketIo(
  options: OfficialOptions,
  assignment: Assignment,
  observer: ReceiverObserver,
): Receiver {
  const { urls, dialect } = options;
  const { receiver, credential, localAddress, server } = assignment;
  const socket = io(urls[server]!.href, {
    path: dialect.path,
    transports: ["websocket"],
    forceNew: true,
    reconnection: false,
    ...(credential === null ? {} : { auth: { token: credential } }),
    // Understood by its transport in Node, though not in its types.
    ...(localAddress === undefined ? {} : ({ localAddress } as object)),
  });
  let hasEnded = false;
  const end = (code: string) => {
    if (hasEnded) return;
    hasEnded = true;
    socket.disconnect();
    observer.ended(receiver, code);
  };
  socket.on("connect", () => {
    if (!dialect.waitsForReady) observer.online(receiver);
  });
  socket.on("connect_error", (error: Error & { data?: { type?: string } }) =>
    end(error.data?.type ?? error.message),
  );
  socket.on("disconnect", (reason) => end(reason));
  socket.onAny((event: string, payload: unknown) => dispatch(options, receiver, observer, event, payload));
  return {
    close: () => socket.disconnect(),
    destroy: () => {
      hasEnded = true;
      socket.disconnect();
    },
  };
}

function openWebSocket(
  options: OfficialOptions,
  assignment: Assignment,
  observer: ReceiverObserver,
): Receiver {
  const { receiver, localAddress, server } = assignment;
  const url = options.urls[server]!;
  const address = new URL(options.dialect.path, url);
  address.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address, {
    perMessageDeflate: false,
    ...(localAddress === undefined ? {} : { localAddress }),
  });
  socket.on("open", () => observer.online(receiver));
  socket.on("message", (data: Buffer) => {
    const [event, payload] = JSON.parse(data.toString()) as [string, unknown];
    dispatch(options, receiver, observer, event, payload);
  });
  let hasEnded = false;
  const end = (code: string) => {
    if (hasEnded) return;
    hasEnded = true;
    observer.ended(receiver, code);
  };
  socket.on("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  socket.on("close", (code) => end(`SERVER_CLOSE_${code}`));
  return {
    close: () => socket.close(),
    destroy: () => {
      hasEnded = true;
      socket.terminate();
    },
  };
}

function dispatch(
  { dialect, runId }: OfficialOptions,
  receiver: number,
  observer: ReceiverObserver,
  name: string,
  payload: unknown,
): void {
  const event = dialect.read(name, payload);
  if (event.kind === "messages") {
    observer.messages(
      receiver,
      event.contents.map((content) => taggedIndex(runId, content)),
      "event",
    );
  } else if (event.kind === "ready") {
    observer.online(receiver);
  } else if (event.kind === "resync") {
    observer.resync(receiver);
  }
}
