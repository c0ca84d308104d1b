import type { User } from "@fanfare/contract";
import { ShieldCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useBlocked } from "../../data/account.ts";
import { errorText } from "../../shared/error-text.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { usePersonActions } from "../members/use-person-actions.ts";
import { PersonLine } from "./person-line.tsx";

/** Whom the user has blocked. */
export function BlockedList() {
  const { t } = useTranslation("friends");
  const { data: blocked, error, refetch } = useBlocked();
  if (blocked === undefined) {
    if (error === null) return <SkeletonRows withAvatar />;
    return <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />;
  }
  if (blocked.length === 0) {
    return <EmptyState icon={ShieldCheck} title={t("blocked.empty")} text={t("blocked.emptyText")} />;
  }
  return (
    <ul className="grid gap-px">
      {blocked.map((user) => (
        <Row key={user.id} user={user} />
      ))}
    </ul>
  );
}

function Row({ user }: { user: User }) {
  const { t } = useTranslation("friends");
  const { unblock } = usePersonActions(user);
  return (
    <PersonLine user={user}>
      <Button size="sm" aria-label={t("blocked.unblock", { name: user.nickname })} onClick={unblock}>
        {t("members:action.unblock")}
      </Button>
    </PersonLine>
  );
}
