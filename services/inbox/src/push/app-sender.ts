import { APP_RESPONSE_MAX_BYTES } from "../constants.ts";

/** What an app shows. */
export interface AppPush {
  title: string;
  /** Can be empty. */
  body: string;
  /** Opens the message in the app. */
  link: string;
  /** A newer push replaces the shown one with the same tag. */
  tag: string;
}

export type AppDelivery =
  | { outcome: "sent" }
  /** The app was removed, or its token was never valid. */
  | { outcome: "gone" }
  /** Another try can't succeed unless the operator changes the settings. */
  | { outcome: "refused"; reason: string }
  /** The service is overloaded and says how long. */
  | { outcome: "later"; at: Date };

/** Sends to the apps of one service. */
export interface AppSender {
  /** @throws if another try can succeed */
  send(token: string, push: AppPush, expiresAt: Date, signal: AbortSignal): Promise<AppDelivery>;
  stop(): void;
}

/** The object of a service's answer; empty if it isn't one or is too long. */
export async function readAnswer(chunks: AsyncIterable<Uint8Array> | null): Promise<object> {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks ?? []) {
    bytes += chunk.length;
    if (bytes > APP_RESPONSE_MAX_BYTES) return {};
    read.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(read).toString());
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
