import type { Channel, Role } from "@fanfare/contract";
import { useMemo } from "react";
import { useAsk } from "../../data/data-context.ts";
import { useUsers } from "../../data/users.ts";
import { wiresIn } from "./mention-text.ts";

const NO_ROLES: readonly Role[] = [];
const NO_CHANNELS: readonly Channel[] = [];

/** The names of the tokens in a text, as far as they are known. */
export function useNames(groupId: string | null, text: string): ReadonlyMap<string, string> {
  const joined = wiresIn(text).join(" ");
  const userIds = useMemo(() => joined.match(/(?<=<@)[0-9a-f]{24}/g) ?? [], [joined]);
  const users = useUsers(userIds);
  const params = { groupId: groupId ?? "" };
  const { data: roles = NO_ROLES } = useAsk("role.list", params, {
    enabled: groupId !== null && joined.includes("<@&"),
    select: (answer) => answer.roles,
  });
  const { data: channels = NO_CHANNELS } = useAsk("channel.list", params, {
    enabled: groupId !== null && joined.includes("<#"),
    select: (answer) => answer.channels,
  });
  const names = new Map<string, string>();
  for (const user of users) names.set(`<@${user.id}>`, user.nickname);
  for (const role of roles) names.set(`<@&${role.id}>`, role.name);
  for (const channel of channels) names.set(`<#${channel.id}>`, channel.name);
  return names;
}
