import { useTranslation } from "react-i18next";
import { useUser } from "../../data/users.ts";
import { Avatar } from "../../ui/avatar.tsx";
import type { Direct } from "./use-direct.ts";

/** So many pictures stand in a row. */
const MAX_SHOWN = 5;

/** Above the first message of a conversation: who it is with. */
export function Beginning({ direct: { title, otherId, otherIds } }: { direct: Direct }) {
  const { t } = useTranslation("directs");
  return (
    <div className="grid gap-1 pb-2">
      <div className="mb-1 flex -space-x-3">
        {otherIds.slice(0, MAX_SHOWN).map((userId) => (
          <Picture key={userId} userId={userId} />
        ))}
      </div>
      <p className="truncate text-xl font-semibold">{title}</p>
      <p className="line-clamp-2 text-muted">
        {otherId === null ? t("beginning.group") : t("beginning.two", { name: title })}
      </p>
    </div>
  );
}

function Picture({ userId }: { userId: string }) {
  const user = useUser(userId);
  return (
    <span className="flex rounded-full ring-3 ring-canvas">
      <Avatar name={user?.nickname ?? "…"} id={userId} src={user?.avatarUrl} size={56} />
    </span>
  );
}
