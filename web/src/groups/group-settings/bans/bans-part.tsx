import type { Ban, Group } from "@fanfare/contract";
import { UserRoundCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useBans } from "../../../data/group-settings.ts";
import { useUser } from "../../../data/people.ts";
import { useAction } from "../../../shared/use-action.ts";
import { formatTime } from "../../../shared/times.ts";
import { Avatar } from "../../../ui/display.tsx";
import { ListRow } from "../../../ui/list-row.tsx";
import { Button } from "../../../ui/button.tsx";
import { EmptyState, ErrorNote } from "../../../ui/feedback.tsx";
import { userName } from "../../../people/members/user-name.tsx";
import { PagedRows } from "../../../shared/paged-list.tsx";

export function BansPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const bans = useBans(group.id);
  return (
    <div>
      <PagedRows
        pages={bans}
        empty={<EmptyState icon={UserRoundCheck} title={t("bans.none")} text={t("bans.noneText")} />}
      >
        {(ban) => <Row key={ban.userId} ban={ban} />}
      </PagedRows>
    </div>
  );
}

function Row({ ban: { groupId, userId, bannedBy, reason, createdAt } }: { ban: Ban }) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const { busy, error, run } = useAction();
  const user = useUser(userId);
  const judge = useUser(bannedBy);
  const facts = t("bans.by", { name: userName(judge), date: formatTime(createdAt, "date") });
  return (
    <ListRow
      leading={<Avatar id={userId} name={user?.nickname ?? ""} src={user?.avatarUrl} />}
      title={userName(user)}
      subtitle={<span className="whitespace-normal">{reason === null ? facts : `${reason} · ${facts}`}</span>}
      trailing={
        <Button
          size="sm"
          busy={busy}
          aria-label={t("bans.liftOf", { name: userName(user) })}
          onClick={() => void run(() => call("group.unban", { groupId, userId }))}
        >
          {t("bans.lift")}
        </Button>
      }
    >
      <ErrorNote text={error} />
    </ListRow>
  );
}
