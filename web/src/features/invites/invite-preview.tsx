import type { FanfareClient } from "@fanfare/client";
import type { Result } from "@fanfare/contract";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../shared/error-text.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";

/** What an invite leads to; needs no login. */
export function InvitePreview({ client, code }: { client: FanfareClient; code: string }) {
  const { t } = useTranslation("invites");
  const [group, setGroup] = useState<Result<"invite.preview">["group"] | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    let shown = true;
    client.call("invite.preview", { code }).then(
      (preview) => shown && setGroup(preview.group),
      (failure: unknown) => shown && setError(errorText(failure)),
    );
    return () => {
      shown = false;
    };
  }, [client, code]);
  if (error !== null) return <ErrorNote text={error} />;
  return (
    <div className="flex items-center gap-3 rounded-lg bg-accent-soft p-4" role="status">
      {group === null ? (
        <Skeleton className="size-11 rounded-lg" />
      ) : (
        <Avatar name={group.name} id={group.id} size={44} shape="square" />
      )}
      <p className="min-w-0 font-medium">
        {group === null
          ? t("youAreInvited")
          : t("youAreInvitedTo", { name: group.name, count: group.memberCount })}
      </p>
    </div>
  );
}
