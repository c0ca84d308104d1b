import type { Channel, User } from "@fanfare/contract";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../../data/me.ts";
import { useUser, useUsers } from "../../data/people.ts";

/** How a direct channel is shown to the one who is logged in. */
export interface Direct {
  /** Its name, or the names of the others. */
  title: string;
  /** Everybody but oneself. */
  otherIds: readonly string[];
  /** The other one, in a channel of two. */
  other: User | undefined;
  otherId: string | null;
}

/** So many names stand in a title. */
const MAX_NAMES = 4;

export function useDirect({ kind, name, memberIds }: Pick<Channel, "kind" | "name" | "memberIds">): Direct {
  const { t } = useTranslation("directs");
  const me = useMe();
  const otherIds = useMemo(() => memberIds.filter((id) => id !== me.id), [memberIds, me.id]);
  const named = useMemo(() => otherIds.slice(0, MAX_NAMES), [otherIds]);
  const users = useUsers(named);
  const otherId = kind === "direct" ? (otherIds[0] ?? null) : null;
  const other = useUser(otherId);
  const nameOf = (user: User): string => (user.deleted === true ? t("members:deleted") : user.nickname);
  const names = users.map(nameOf);
  if (otherIds.length > MAX_NAMES) names.push("…");
  const title = name !== "" ? name : otherIds.length === 0 ? t("alone") : names.join(t("comma")) || "…";
  return { title, otherIds, other, otherId };
}
