import { randomBytes } from "node:crypto";
import type { Progress } from "../../report/progress.ts";
import { registerAll, type RegistrationResult } from "../registration.ts";
import type { Api } from "./api.ts";
import { explain } from "./explain.ts";

/** What is needed to write to all members of a group. */
export interface GroupAccess {
  groupId: string;
  channelId: string;
  /** The creator of the group, who logs in again after a long run because access tokens expire after 15 minutes. */
  owner: { username: string; password: string };
}

/** The group of a run, and its owner, who sends. */
export interface Meeting extends GroupAccess {
  ownerToken: string;
  /** When the owner's access token expires, ISO 8601. */
  expiresAt: string;
  /** The invite code of the group. */
  code: string;
}

/** @throws {ExitError} with the server's error */
export async function openMeeting(api: Api, signal: AbortSignal): Promise<Meeting> {
  const username = `bench-${randomBytes(6).toString("hex")}`;
  const owner = { username, password: randomBytes(18).toString("base64url") };
  const open = async () => {
    const { accessToken: token, accessTokenExpiresAt: expiresAt } = await api.call(
      "user.register",
      owner,
      undefined,
      signal,
    );
    const { group, channels } = await api.call("group.create", { name: username }, token, signal);
    const { invite } = await api.call("invite.create", { groupId: group.id }, token, signal);
    const [groupId, channelId] = [group.id, channels[0]!.id];
    return { groupId, channelId, owner, ownerToken: token, expiresAt, code: invite.code };
  };
  return open().catch(explain);
}

/**
 * Guests who join the group; returns their access tokens.
 * @throws {ExitError} with the error of the first rejected guest
 */
export async function registerGuests(
  api: Api,
  { code }: Meeting,
  { users, concurrency }: { users: number; concurrency: number },
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<{ tokens: string[]; registration: RegistrationResult }> {
  let done = 0;
  const register = async () => {
    const { accessToken } = await api.call("user.createGuest", {}, undefined, signal);
    await api.call("invite.accept", { code }, accessToken, signal);
    return accessToken;
  };
  const work = () => registerAll(users, concurrency, register, () => done++);
  const all = await progress.during("registering guests", users, () => done, work).catch(explain);
  return { tokens: all.users, registration: all.result };
}
