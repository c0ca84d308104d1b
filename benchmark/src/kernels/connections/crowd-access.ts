import { randomBytes } from "node:crypto";
import type { Api } from "../../targets/fanfare/api.ts";
import { registerAll, type RegistrationResult } from "../../targets/registration.ts";

/** What is needed to connect, and to write to all. */
export interface CrowdAccess {
  groupId: string;
  channelId: string;
  /**
   * The creator of the group, who logs in again after a long hold because access tokens expire after 15
   * minutes.
   */
  owner: { username: string; password: string };
  /** Access tokens of its members. */
  tokens: string[];
  /** When the first of the access tokens expires, ISO 8601. */
  expiresAt: string;
}

/** @returns an access token of the group's creator */
export async function logInOwner(api: Api, { owner }: CrowdAccess, signal?: AbortSignal): Promise<string> {
  return (await api.call("user.login", owner, undefined, signal)).accessToken;
}

/**
 * Creates a group, and guests who join it.
 * @throws {ApiError} of the first rejected guest
 */
export async function registerCrowd(
  api: Api,
  { users, concurrency }: { users: number; concurrency: number },
  signal: AbortSignal,
  onDone: () => void,
): Promise<{ access: CrowdAccess; registration: RegistrationResult }> {
  const name = `bench-${randomBytes(6).toString("hex")}`;
  const password = randomBytes(18).toString("base64url");
  const owner = await api.call("user.register", { username: name, password }, undefined, signal);
  const ownerToken = owner.accessToken;
  const { group, channels } = await api.call("group.create", { name }, ownerToken, signal);
  const { invite } = await api.call("invite.create", { groupId: group.id }, ownerToken, signal);
  const register = async () => {
    const { accessToken } = await api.call("user.createGuest", {}, undefined, signal);
    await api.call("invite.accept", { code: invite.code }, accessToken, signal);
    return accessToken;
  };
  const { users: tokens, result } = await registerAll(users, concurrency, register, onDone);
  const access = {
    groupId: group.id,
    channelId: channels[0]!.id,
    owner: { username: name, password },
    tokens,
    expiresAt: owner.accessTokenExpiresAt,
  };
  return { access, registration: result };
}
