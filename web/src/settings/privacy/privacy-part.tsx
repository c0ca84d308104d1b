import type { User, Reach } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useBlocked } from "../../data/me.ts";
import { useCall } from "../../data/call.ts";
import { Rows } from "../../shared/paged-list.tsx";
import { useAction, useSave } from "../../shared/use-action.ts";
import { Avatar } from "../../ui/display.tsx";
import { ListRow } from "../../ui/list-row.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote, SkeletonRows, Loaded } from "../../ui/feedback.tsx";
import { Section } from "../../ui/settings-layout.tsx";
import { setPreferences, usePreferences } from "../../state/preferences.ts";
import { Switch } from "../../ui/choices.tsx";
import { useReach } from "../../data/people.ts";
import { Select } from "../../ui/select.tsx";

export function PrivacyPart() {
  const { t } = useTranslation("settings");
  const confirmLinks = usePreferences((preferences) => preferences.confirmLinks);
  return (
    <>
      <ReachForm />
      <BlockedUsers />
      <Section title={t("group-settings:rules.links.title")}>
        <Switch
          label={t("privacy.confirmLinks")}
          hint={t("privacy.confirmLinksHint")}
          checked={confirmLinks}
          onChange={(isOn) => setPreferences({ confirmLinks: isOn })}
        />
      </Section>
    </>
  );
}

const REQUESTS = [
  { value: "everyone", textKey: "contact.everyone" },
  { value: "groupMates", textKey: "contact.groupMates" },
  { value: "nobody", textKey: "contact.noOne" },
] as const;
const DIRECT: readonly Reach["directFrom"][] = ["everyone", "groupMates", "friends"];

/** Each choice is saved at once. */
function ReachForm() {
  const { t } = useTranslation("settings");
  const call = useCall();
  const { error, save } = useSave();
  const change = (changes: Partial<Reach>) => save(() => call("friend.setReach", changes));
  return (
    <Section title={t("contact.title")} text={t("contact.text")}>
      <Loaded of={useReach()} placeholder={<SkeletonRows count={2} />}>
        {(reach) => (
          <>
            <Select
              label={t("contact.directFrom")}
              value={reach.directFrom}
              options={DIRECT.map((value) => ({ value, label: t(`contact.${value}`) }))}
              onChange={(directFrom) => change({ directFrom })}
            />
            <Select
              label={t("contact.requestsFrom")}
              value={reach.requestsFrom}
              options={REQUESTS.map(({ value, textKey }) => ({ value, label: t(textKey) }))}
              onChange={(requestsFrom) => change({ requestsFrom })}
            />
          </>
        )}
      </Loaded>
      <ErrorNote text={error} />
    </Section>
  );
}

function BlockedUsers() {
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
