import type { User } from "@fanfare/contract";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useDirects } from "../../data/directs.ts";
import { useFriends } from "../../data/friends.ts";
import { useMe } from "../../data/me.ts";
import { useUserSearch } from "../../data/search.ts";
import { useUsers } from "../../data/users.ts";

/** Those one can choose from at once; who has more friends finds them by name. */
const MAX_SHOWN = 50;

/**
 * Friends and those one talks with already, by name; with a text those whose name has it, and accounts whose name begins so.
 * @param without ids of those to leave out; give the same array until they are others
 */
export function usePeople(text: string, without: readonly string[]): User[] {
  const { i18n } = useTranslation();
  const me = useMe();
  const isAccount = me.kind === "member";
  const { data: friends } = useFriends({ enabled: isAccount });
  const { data: directs } = useDirects();
  const knownIds = useMemo(() => {
    const ids = new Set(friends?.map(({ userId }) => userId));
    for (const { memberIds } of directs ?? []) for (const id of memberIds) ids.add(id);
    ids.delete(me.id);
    return [...ids];
  }, [friends, directs, me.id]);
  const known = useUsers(knownIds).filter(({ deleted }) => deleted !== true);
  const query = text.trim().toLowerCase();
  // Guests search no accounts.
  const found = useUserSearch(isAccount ? query : "").data ?? [];
  const compare = new Intl.Collator(i18n.language).compare;
  const hits = known.filter(
    ({ nickname, username }) =>
      nickname.toLowerCase().includes(query) || (username?.toLowerCase().includes(query) ?? false),
  );
  const others = found.filter(({ id, kind }) => kind !== "bot" && id !== me.id && !knownIds.includes(id));
  return [...hits.toSorted((a, b) => compare(a.nickname, b.nickname)), ...others]
    .filter(({ id }) => !without.includes(id))
    .slice(0, MAX_SHOWN);
}
