import { io } from "socket.io-client";
import * as msgpack from "socket.io-msgpack-parser";
import { WebSocket } from "ws";
import type { Dialect, ServerEvent } from "../targets/dialect.ts";
import { taggedIndex } from "./message-tag.ts";
import type { Assignment, OpenReceiver, Receiver, ReceiverObserver } from "./receiver.ts";

export interface OfficialOptions {
  urls: readonly URL[];
  dialect: Dialect;
  runId: string;
}

/** Receivers with the real clients: socket.io-client, or `ws` for a bare WebSocket. */
export function officialReceivers(options: OfficialOptions): OpenReceiver {
  const open = options.dialect.transport === "socket.io" ? openSocketIo : openWebSocket;
  return (assignment, observer) => open(options, assignment, observer);
}

/** Socket.IO's reasons for a disconnect, as light receivers call them. */
const CODES: Record<string, string> = {
  "transport close": "CONNECTION_CLOSED",
  "io server disconnect": "SERVER_DISCONNECT",
  "parse error": "INVALID_JSON",
};

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
    ...(dialect.parser === "msgpack" ? { parser: msgpack } : {}),
    ...(credential === null ? {} : { auth: { token: credential } }),
    // Supported by its transport in Node, though missing in its types.
    ...(localAddress === undefined ? {} : ({ localAddress } as object)),
  });
  let hasEnded = false;
  const end = (code: string) => {
    if (hasEnded) return;
    hasEnded = true;
    socket.disconnect();
    observer.ended(receiver, code);
  };
  const { login } = dialect;
  socket.on("connect", () => {
    if (login) {
      socket.emit(login.event, login.payload, (answer: unknown) => {
        const refusal = login.refusal(answer);
        if (refusal === undefined) observer.online(receiver);
        else end(refusal);
      });
    } else if (!dialect.waitsForReady) {
      observer.online(receiver);
    }
  });
  socket.on("connect_error", (error: Error & { data?: { type?: string } }) =>
    end(error.data?.type ?? error.message),
  );
  socket.on("disconnect", (reason) => end(CODES[reason] ?? reason));
  socket.onAny((event: string, payload: unknown) =>
    obey(options, receiver, observer, dialect.read(event, payload)),
  );
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
  const { receiver, credential, localAddress, server } = assignment;
  const { dialect } = options;
  const url = options.urls[server]!;
  const address = new URL(dialect.path, url);
  address.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address, {
    perMessageDeflate: false,
    ...(localAddress === undefined ? {} : { localAddress }),
  });
  socket.on("open", () => {
    if (dialect.hello) socket.send(dialect.hello(credential));
    if (!dialect.waitsForReady) observer.online(receiver);
  });
  socket.on("message", (data: Buffer) => {
    const text = data.toString();
    if (dialect.readText) return obey(options, receiver, observer, dialect.readText(text));
    const [event, payload] = JSON.parse(text) as [string, unknown];
    obey(options, receiver, observer, dialect.read(event, payload));
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

function obey(
  { runId }: OfficialOptions,
  receiver: number,
  observer: ReceiverObserver,
  event: ServerEvent,
): void {
  if (event.kind === "messages") {
    observer.messages(
      receiver,
      event.contents.map((content) => taggedIndex(runId, content)),
      "event",
      event.revs,
    );
  } else if (event.kind === "ready") {
    observer.online(receiver);
  } else if (event.kind === "resync") {
    observer.resync(receiver);
  }
}
