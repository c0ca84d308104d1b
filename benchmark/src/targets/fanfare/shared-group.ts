import type { Api } from "./api.ts";
import { createGroup } from "./meeting.ts";

/**
 * A group for all users of a run: guests can only open direct channels with members of their groups.
 * @returns joins it with a user's access token
 */
export async function createSharedGroup(
  api: Api,
  signal: AbortSignal,
): Promise<(accessToken: string) => Promise<void>> {
  const { accessToken: owner } = await api.call("user.createGuest", {}, undefined, signal);
  const { code } = await createGroup(api, "Benchmark", owner, signal);
  return async (accessToken) => {
    await api.call("invite.accept", { code }, accessToken, signal);
  };
}
