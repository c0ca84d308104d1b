import { useMemo } from "react";
import { useChannelState, useChannels } from "../../data/channels.ts";
import { useMemberSearch } from "../../data/member-search.ts";
import { useUsers } from "../../data/users.ts";
import { openPanel } from "../../state/panels.ts";
import type { Place } from "../shortcuts/use-place.ts";
import { SearchContent } from "./search-content.tsx";
import { useNameQuery } from "./use-name-query.ts";

const NONE: readonly string[] = [];
const close = () => openPanel(null);

/** In the whole group, or in the direct channel. */
export function SearchPanel({ place: { groupId, channelId } }: { place: Place }) {
  if (groupId !== null) return <GroupSearch groupId={groupId} />;
  return channelId === null ? null : <DirectSearch channelId={channelId} />;
}

function GroupSearch({ groupId }: { groupId: string }) {
  const { data: channels = [] } = useChannels(groupId);
  const { found, members } = useMemberSearch(groupId, useNameQuery());
  const ids = useMemo(() => members.data?.map(({ userId }) => userId) ?? NONE, [members.data]);
  const loaded = useUsers(ids);
  const people = [
    ...new Map(
      [...loaded, ...found.flatMap(({ user }) => user ?? [])].map((user) => [user.id, user]),
    ).values(),
  ];
  const texts = channels.filter(({ kind }) => kind === "text");
  return <SearchContent scope={{ groupId }} people={people} channels={texts} onClose={close} />;
}

function DirectSearch({ channelId }: { channelId: string }) {
  const { data: channel } = useChannelState(channelId);
  const people = useUsers(channel?.memberIds ?? NONE);
  return <SearchContent scope={{ channelId }} people={people} channels={[]} onClose={close} />;
}
