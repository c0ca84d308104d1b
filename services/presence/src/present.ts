import type { Params, Presence } from "@fanfare/contract";

export type OwnStatus = Params<"presence.setStatus">["status"];

/** What others see of somebody. */
export function present(userId: string, isConnected: boolean, ownStatus: OwnStatus): Presence {
  return { userId, status: isConnected && ownStatus !== "invisible" ? ownStatus : "offline" };
}
