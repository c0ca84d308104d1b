import type { ChannelState, Message } from "@fanfare/contract";
import { useMemo, useState } from "react";
import { useActionQuery } from "../../data/data-context.ts";
import { useNicknames } from "../../data/members.ts";
import { useUsers } from "../../data/people.ts";
import { Avatar } from "../../ui/display.tsx";

/** Replies that participants are taken from. */
const RECENT = 20;
const MAX_SHOWN = 3;

interface ThreadActivity {
  last: Message | undefined;
  /** Authors of recent replies, the latest first. */
  userIds: readonly string[];
}

/** The last reply of a thread, and who takes part. While newer replies load, the earlier ones stay. */
export function useThreadActivity(thread: ChannelState | undefined): ThreadActivity {
  const seq = thread?.head.seq ?? 0;
  const { data } = useActionQuery(
    "message.list",
    { channelId: thread?.id ?? "", before: seq + 1, limit: RECENT },
    { enabled: seq > 0, select: ({ messages }) => messages.filter(({ deletedAt }) => deletedAt === null) },
  );
  const [shown, setShown] = useState(data);
  if (data !== undefined && data !== shown) setShown(data);
  const replies = (shown ?? []).toSorted((a, b) => b.seq - a.seq);
  const ids = [...new Set(replies.map(({ authorId }) => authorId))].slice(0, MAX_SHOWN).join(" ");
  const userIds = useMemo(() => (ids === "" ? [] : ids.split(" ")), [ids]);
  return { last: replies[0], userIds };
}

interface FacesProps {
  userIds: readonly string[];
  groupId: string | null;
  size?: number;
  /** Those who speak get a ring. */
  speakers?: readonly string[];
}

/** Overlapping pictures of a few people. */
export function Faces({ userIds, groupId, size = 20, speakers = [] }: FacesProps) {
  const users = useUsers(userIds);
  const byId = useMemo(() => new Map(users.map((user) => [user.id, user])), [users]);
  const nicknames = useNicknames(groupId);
  const pictureOf = (id: string) => nicknames[id]?.avatarUrl ?? byId.get(id)?.avatarUrl;
  return (
    <span aria-hidden className="flex shrink-0">
      {userIds.map((id) => (
        <span
          key={id}
          data-speaking={speakers.includes(id) || undefined}
          className="relative rounded-full ring-2 ring-raised not-first:-ms-1.5 data-speaking:z-1 data-speaking:ring-good"
        >
          <Avatar name={byId.get(id)?.nickname ?? ""} id={id} src={pictureOf(id)} size={size} />
        </span>
      ))}
    </span>
  );
}
