import { Events, type NatsConnection } from "nats";
import type { Logger } from "./logger.ts";

/** Says once that the connection is gone, and each reason for which NATS refuses it, such as `AUTHORIZATION_VIOLATION`. */
export async function logNats(connection: NatsConnection, logger: Pick<Logger, "warn">): Promise<void> {
  let said = new Set<string>();
  const sayOnce = (reason: string, message: string): void => {
    if (said.has(reason)) return;
    said.add(reason);
    logger.warn({ reason }, message);
  };
  for await (const { type, data } of connection.status()) {
    if (type === Events.Reconnect) said = new Set();
    if (type === Events.Disconnect) sayOnce("disconnected", "there is no connection to NATS");
    if (type === Events.Error && typeof data === "string") sayOnce(data, "NATS refuses something");
  }
}
