import type { User } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useBlocked } from "../../data/me.ts";
import { useCall } from "../../data/call.ts";
import { Rows } from "../../shared/paged-list.tsx";
import { useAction } from "../../shared/use-action.ts";
import { Avatar } from "../../ui/display.tsx";
import { ListRow } from "../../ui/list-row.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote, SkeletonRows } from "../../ui/feedback.tsx";
import { Section } from "../section.tsx";

export function BlockedUsers() {
  const { t } = useTranslation("settings");
  return (
    <Section title={t("blocked.title")} text={t("blocked.text")}>
      <Rows
        of={useBlocked()}
        placeholder={<SkeletonRows count={2} withAvatar />}
        empty={<p className="text-sm text-muted">{t("blocked.none")}</p>}
      >
        {(user) => <BlockedUser key={user.id} user={user} />}
      </Rows>
    </Section>
  );
}

function BlockedUser({ user }: { user: User }) {
  const { t } = useTranslation("settings");
  const call = useCall();
  const { busy, error, run } = useAction();
  return (
    <ListRow
      leading={<Avatar id={user.id} name={user.nickname} src={user.avatarUrl} />}
      title={user.nickname}
      {...(user.username !== null && { subtitle: `@${user.username}` })}
      trailing={
        <Button
          size="sm"
          busy={busy}
          aria-label={t("friends:blocked.unblock", { name: user.nickname })}
          onClick={() => void run(() => call("user.unblock", { userId: user.id }))}
        >
          {t("members:action.unblock")}
        </Button>
      }
    >
      <ErrorNote text={error} />
    </ListRow>
  );
}
