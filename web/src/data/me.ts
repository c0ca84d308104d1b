import type { OwnUser } from "@fanfare/contract";
import type { ServerCache } from "./cache.ts";
import type { On } from "./live-on.ts";
import { useAsk, useServerCache } from "./data-context.ts";
import type { Effects } from "./effect.ts";

/** The user who is logged in, as known at the last login until the server has answered. */
export function useMe(): OwnUser {
  const { client } = useServerCache();
  const { data } = useAsk("user.me", {}, { select: ({ user }) => user });
  const user = data ?? client.user;
  if (user === null) throw new Error("useMe is for components within a session.");
  return user;
}

export function listenMe(cache: ServerCache, on: On): void {
  on("account.updated", ({ user }) => cache.patch("user.me", () => ({ user })));
  on("user.updated", ({ user }) => {
    cache.patch("user.me", (answer) =>
      answer.user.id === user.id ? { user: { ...answer.user, ...user } } : answer,
    );
  });
}

const ownUser = {
  after: (cache: ServerCache, _: unknown, { user }: { user: OwnUser }) => cache.put("user.me", {}, { user }),
};

export const meEffects: Effects = {
  "user.updateProfile": ownUser,
  "user.setAvatar": ownUser,
  "user.removeAvatar": ownUser,
  "user.linkOidc": ownUser,
  "user.unlinkOidc": ownUser,
  "user.claimGuest": ownUser,
};
