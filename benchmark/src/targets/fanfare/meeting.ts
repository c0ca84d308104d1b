import { randomBytes } from "node:crypto";
import { registerAll, type Work } from "../registration.ts";
import { explain, type Api } from "./api.ts";
import { Session } from "./session.ts";

/** The group of a run, and its owner, who sends. */
export interface Meeting {
  groupId: string;
  channelId: string;
  /** The invite code of the group. */
  code: string;
  owner: Session;
}

/** An account: guests may not be allowed to create groups. */
export async function registerOwner(api: Api, signal: AbortSignal): Promise<Session> {
  const username = `bench-${randomBytes(6).toString("hex")}`;
  const password = randomBytes(18).toString("base64url");
  return new Session(api, await api.call("user.register", { username, password }, undefined, signal));
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
    const owner = await registerOwner(api, signal);
    return { ...(await createGroup(api, "bench", await owner.token(), signal)), owner };
  };
  return open().catch(explain);
}

/**
 * Guests who join groups.
 * @param codes of the groups' invites
 * @throws {ExitError} with the error of the first rejected guest
 */
export async function registerGuests(api: Api, codes: readonly string[], work: Omit<Work, "label">) {
  const { signal } = work;
  const register = async () => {
    const guest = await api.call("user.createGuest", {}, undefined, signal);
    for (const code of codes) await api.call("invite.accept", { code }, guest.accessToken, signal);
    return guest;
  };
  const all = { label: "registering guests", ...work };
  const { users: guests, result } = await registerAll(all, register).catch(explain);
  return { guests, sessions: guests.map((guest) => new Session(api, guest)), registration: result };
}
