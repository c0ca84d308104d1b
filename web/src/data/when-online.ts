import type { FanfareClient } from "@fanfare/client";

/** Resolves when the client hears of events, so that nothing happens unheard after an answer. */
export function whenOnline(client: FanfareClient, signal: AbortSignal): Promise<void> {
  if (client.state === "online" || client.state === "closed") return Promise.resolve();
  return new Promise((resolve, reject) => {
    const end = client.on("connection.changed", ({ state }) => {
      if (state !== "online" && state !== "closed") return;
      end();
      resolve();
    });
    signal.addEventListener("abort", () => {
      end();
      reject(signal.reason as Error);
    });
  });
}
