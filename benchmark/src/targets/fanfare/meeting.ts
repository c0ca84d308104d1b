import { randomBytes } from "node:crypto";
import { registerAll, type RegistrationResult, type Work } from "../registration.ts";
import { explain, type Api } from "./api.ts";

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

/** An account, which can be logged in again, unlike a guest. */
export async function registerOwner(api: Api, signal: AbortSignal) {
  const username = `bench-${randomBytes(6).toString("hex")}`;
  const owner = { username, password: randomBytes(18).toString("base64url") };
  return { owner, tokens: await api.call("user.register", owner, undefined, signal) };
}

/** A group that everyone with its code can join. */
export async function createGroup(api: Api, name: string, token: string, signal: AbortSignal) {
  const { group, channels } = await api.call("group.create", { name }, token, signal);
  const { invite } = await api.call("invite.create", { groupId: group.id }, token, signal);
  return { groupId: group.id, channelId: channels[0]!.id, code: invite.code };
}

/** @throws {ExitError} with the server's error */
export async function openMeeting(api: Api, signal: AbortSignal): Promise<Meeting> {
  const open = async () => {
    const { owner, tokens } = await registerOwner(api, signal);
    const { accessToken: ownerToken, accessTokenExpiresAt: expiresAt } = tokens;
    return { ...(await createGroup(api, owner.username, ownerToken, signal)), owner, ownerToken, expiresAt };
  };
  return open().catch(explain);
}

/**
 * Guests who join the group; returns their access tokens.
 * @throws {ExitError} with the error of the first rejected guest
 */
export async function registerGuests(
  api: Api,
  { code }: Pick<Meeting, "code">,
  work: Omit<Work, "label">,
): Promise<{ tokens: string[]; registration: RegistrationResult }> {
  const { signal } = work;
  const register = async () => {
    const { accessToken } = await api.call("user.createGuest", {}, undefined, signal);
    await api.call("invite.accept", { code }, accessToken, signal);
    return accessToken;
  };
  const all = await registerAll({ label: "registering guests", ...work }, register).catch(explain);
  return { tokens: all.users, registration: all.result };
}
