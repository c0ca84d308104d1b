import { io, type ManagerOptions, type SocketOptions } from "socket.io-client";

const ACK_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 30_000;

/**
 * A connection of the official client, to make calls.
 * @param ready the event after which it can
 * @throws {Error} if it is refused
 */
export async function openCaller(
  url: string,
  options: Partial<ManagerOptions & SocketOptions>,
  ready = "connect",
) {
  const common = { transports: ["websocket"], forceNew: true, reconnection: false };
  const socket = io(url, { ...common, timeout: CONNECT_TIMEOUT_MS, ...options });
  await new Promise<void>((resolve, reject) => {
    socket.once(ready, () => resolve());
    socket.once("connect_error", reject);
  });
  return {
    call: async (event: string, payload: unknown): Promise<unknown> => {
      if (!socket.connected) throw new Error("SENDER_DISCONNECTED");
      return socket.timeout(ACK_TIMEOUT_MS).emitWithAck(event, payload);
    },
    close: () => void socket.disconnect(),
  };
}
