import type { Group } from "@fanfare/contract";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { groupPath } from "../../routes.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { cx } from "../../ui/cx.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Tooltip } from "../../ui/tooltip.tsx";
import { CreateGroupDialog } from "./create-group-dialog.tsx";

interface RailProps {
  /** Null while they are loaded. */
  groups: readonly Group[] | null;
  groupId: string | undefined;
}

/** The groups as pictures, one under the other. */
export function Rail({ groups, groupId }: RailProps) {
  const { t } = useTranslation("home");
  const [creating, setCreating] = useState(false);
  return (
    <nav aria-label={t("groups")} className="flex flex-col items-center gap-2 py-3">
      {groups === null && <Skeleton className="size-11 rounded-lg" />}
      <ul className="grid gap-2">
        {groups?.map((group) => (
          <li key={group.id} className="relative">
            <GroupMark group={group} isShown={group.id === groupId} />
          </li>
        ))}
      </ul>
      <Tooltip text={t("newGroup")} side="right">
        <button
          type="button"
          aria-label={t("newGroup")}
          className="flex size-11 items-center justify-center rounded-lg border border-dashed border-line-strong text-muted transition-colors hover:border-accent hover:text-accent-text"
          onClick={() => setCreating(true)}
        >
          <Plus size={22} aria-hidden />
        </button>
      </Tooltip>
      <CreateGroupDialog open={creating} onClose={() => setCreating(false)} />
    </nav>
  );
}

function GroupMark({ group, isShown }: { group: Group; isShown: boolean }) {
  return (
    <>
      <span
        aria-hidden
        className={cx(
          "absolute top-1/2 -left-2.5 w-1 -translate-y-1/2 rounded-full bg-accent transition-[height]",
          isShown ? "h-8" : "h-0",
        )}
      />
      <Tooltip text={group.name} side="right">
        <Link
          href={groupPath(group.id)}
          aria-label={group.name}
          aria-current={isShown ? "true" : undefined}
          className={cx("block rounded-lg", !isShown && "opacity-85 hover:opacity-100")}
        >
          <Avatar name={group.name} id={group.id} size={44} shape="square" />
        </Link>
      </Tooltip>
    </>
  );
}
