import type { EmbeddedMongo } from "../start.ts";
import { type FromServer, reviveFailure } from "./messages.ts";

export interface SupervisedMongo extends EmbeddedMongo {
  /** Registers a listener for the end of the server; `error` is undefined after `close()`. */
  onExit(listener: (error: Error | undefined) => void): void;
}

/** The worker or child process that a server runs in. */
export interface Channel {
  onMessage(listener: (message: FromServer) => void): void;
  /** Called once when it has ended for any reason. */
  onEnd(listener: (reason: Error) => void): void;
  requestClose(): void;
  terminate(): void;
}

/** Waits until the server is ready, then supervises it. @throws the server's startup error */
export async function supervise(
  channel: Channel,
  onProgress: (message: string) => void = () => {},
): Promise<SupervisedMongo> {
  const listeners: ((error: Error | undefined) => void)[] = [];
  let closing = false;
  let end: { error: Error | undefined } | undefined;
  const gone = new Promise<Error>((resolve) => {
    channel.onEnd((reason) => {
      end = { error: closing ? undefined : reason };
      for (const listener of listeners) listener(end.error);
      resolve(reason);
    });
  });
  const uri = await new Promise<string>((resolve, reject) => {
    channel.onMessage((message) => {
      if (message.type === "progress") {
        onProgress(message.message);
        return;
      }
      if (message.type === "ready") {
        resolve(message.uri);
        return;
      }
      reject(reviveFailure(message));
      channel.terminate();
    });
    void gone.then(reject);
  });
  return {
    uri,
    onExit: (listener) => {
      if (end) listener(end.error);
      else listeners.push(listener);
    },
    close: async () => {
      closing = true;
      if (!end) channel.requestClose();
      await gone;
    },
  };
}
