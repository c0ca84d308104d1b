import type { FriendRequest } from "@fanfare/contract";
import { Check, Inbox, Undo2, X } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useFriendRequests } from "../../data/friends.ts";
import { useUsers } from "../../data/users.ts";
import { errorText } from "../../shared/error-text.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { usePersonActions } from "../members/use-person-actions.ts";
import { PersonLine } from "./person-line.tsx";

/** Who asks the user, and whom the user has asked. */
export function RequestList({ requests }: { requests: FriendRequest[] | undefined }) {
  const { t } = useTranslation("friends");
  const { error, refetch } = useFriendRequests();
  if (requests === undefined) {
    if (error === null) return <SkeletonRows withAvatar />;
    return <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />;
  }
  if (requests.length === 0) {
    return <EmptyState icon={Inbox} title={t("pending.empty")} text={t("pending.emptyText")} />;
  }
  return (
    <div className="grid gap-5">
      <Part requests={requests} direction="incoming" />
      <Part requests={requests} direction="outgoing" />
    </div>
  );
}

interface PartProps {
  requests: FriendRequest[];
  direction: FriendRequest["direction"];
}

function Part({ requests, direction }: PartProps) {
  const { t } = useTranslation("friends");
  const ids = useMemo(
    () => requests.filter((request) => request.direction === direction).map(({ userId }) => userId),
    [requests, direction],
  );
  const users = useUsers(ids);
  if (ids.length === 0) return null;
  return (
    <section>
      <h2 className="px-2 pb-2 text-xs font-semibold text-muted">
        {t(`pending.${direction}`, { count: ids.length })}
      </h2>
      <ul className="grid gap-px">
        {users.map((user) => (
          <Request key={user.id} user={user} />
        ))}
      </ul>
    </section>
  );
}

function Request({ user }: { user: ReturnType<typeof useUsers>[number] }) {
  const { t } = useTranslation("friends");
  const { accept, decline, withdraw } = usePersonActions(user);
  const name = user.nickname;
  return (
    <PersonLine user={user}>
      {accept && (
        <Button
          size="sm"
          variant="primary"
          icon={<Check size={16} aria-hidden />}
          aria-label={t("pending.accept", { name })}
          onClick={accept}
        >
          <span className="max-md:sr-only">{t("members:action.accept")}</span>
        </Button>
      )}
      {decline && (
        <Button
          size="sm"
          icon={<X size={16} aria-hidden />}
          aria-label={t("pending.decline", { name })}
          onClick={decline}
        >
          <span className="max-md:sr-only">{t("members:action.decline")}</span>
        </Button>
      )}
      {withdraw && (
        <Button
          size="sm"
          icon={<Undo2 size={16} aria-hidden />}
          aria-label={t("pending.withdraw", { name })}
          onClick={withdraw}
        >
          <span className="max-md:sr-only">{t("members:action.withdraw")}</span>
        </Button>
      )}
    </PersonLine>
  );
}
