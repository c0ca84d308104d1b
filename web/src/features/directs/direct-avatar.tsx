import { useStatus } from "../../data/presence.ts";
import { useUser } from "../../data/users.ts";
import { Avatar } from "../../ui/avatar.tsx";
import type { Direct } from "./use-direct.ts";

/** Whom a direct channel is with: one picture with a dot for the status, or two of several. */
export function DirectAvatar({ direct: { title, otherId, otherIds } }: { direct: Direct }) {
  if (otherId !== null) return <OneAvatar userId={otherId} name={title} />;
  const [first, second] = otherIds;
  if (first === undefined) return <Avatar name={title} id="" size={32} />;
  if (second === undefined) return <OneAvatar userId={first} name={title} />;
  return (
    <span aria-hidden className="relative size-8 shrink-0">
      <span className="absolute top-0 left-0">
        <SmallAvatar userId={first} />
      </span>
      <span className="absolute right-0 bottom-0 flex rounded-full ring-2 ring-sidebar">
        <SmallAvatar userId={second} />
      </span>
    </span>
  );
}

function OneAvatar({ userId, name }: { userId: string; name: string }) {
  const user = useUser(userId);
  const status = useStatus(userId);
  return <Avatar name={user?.nickname ?? name} id={userId} src={user?.avatarUrl} size={32} status={status} />;
}

function SmallAvatar({ userId }: { userId: string }) {
  const user = useUser(userId);
  return <Avatar name={user?.nickname ?? "…"} id={userId} src={user?.avatarUrl} size={22} />;
}
