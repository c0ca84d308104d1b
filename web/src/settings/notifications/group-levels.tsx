import type { Group, NotificationSetting } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useGroups } from "../../data/groups.ts";
import { useNotificationSettings } from "../../data/inbox.ts";
import { useAction } from "../../shared/use-action.ts";
import { Avatar } from "../../ui/display.tsx";
import { ErrorNote, Pending } from "../../ui/feedback.tsx";
import { Select } from "../../ui/select.tsx";
import { Section } from "../section.tsx";

type Level = NonNullable<NotificationSetting["level"]>;

const LEVELS: readonly Level[] = ["all", "mentions", "nothing"];

export function GroupLevels() {
  const { t } = useTranslation("settings");
  const { data: groups } = useGroups();
  const query = useNotificationSettings();
  const { data: settings, error } = query;
  const levelOf = ({ id }: Group): Level =>
    settings?.find(({ groupId, channelId }) => groupId === id && channelId === null)?.level ?? "mentions";
  return (
    <Section title={t("levels.title")} text={t("levels.text")}>
      {error !== null || groups === undefined || settings === undefined ? (
        <Pending of={{ ...query, data: undefined }} />
      ) : groups.length === 0 ? (
        <p className="text-sm text-muted">{t("levels.none")}</p>
      ) : (
        <ul className="grid gap-2">
          {groups.map((group) => (
            <li key={group.id}>
              <GroupLevel group={group} level={levelOf(group)} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function GroupLevel({ group, level }: { group: Group; level: Level }) {
  const { t } = useTranslation("settings");
  const call = useCall();
  const { error, run } = useAction();
  return (
    <>
      <div className="flex items-center gap-3">
        <Avatar name={group.name} id={group.id} src={group.iconUrl} shape="square" size={36} />
        <span className="min-w-0 flex-1 truncate font-medium">{group.name}</span>
        <div className="w-44 shrink-0">
          <Select
            label={t("levels.of", { group: group.name })}
            hideLabel
            value={level}
            options={LEVELS.map((value) => ({ value, label: t(`levels.${value}`) }))}
            onChange={(next) => void run(() => call("notification.set", { groupId: group.id, level: next }))}
          />
        </div>
      </div>
      <ErrorNote text={error} />
    </>
  );
}
