import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import type { NotificationPreferences, Group, NotificationSetting } from "@fanfare/contract";
import { useState } from "react";
import { useCall } from "../../data/call.ts";
import { useNotificationPreferences, useNotificationSettings } from "../../data/inbox.ts";
import { Loaded, SkeletonRows, ErrorNote, Pending } from "../../ui/feedback.tsx";
import { Form, TextArea, useForm } from "../../ui/form.tsx";
import { Section } from "../../ui/settings-layout.tsx";
import { useMe } from "../../data/me.ts";
import { useServerMeta } from "../../session/server-meta.ts";
import { useSave } from "../../shared/use-action.ts";
import { Select } from "../../ui/select.tsx";
import { useGroups } from "../../data/groups.ts";
import { Avatar } from "../../ui/display.tsx";
import { wordsOf } from "../../shared/formats.ts";
import { setPreferences, usePreferences } from "../../state/preferences.ts";
import { Switch } from "../../ui/choices.tsx";
import {
  requestNotificationPermission,
  getPermission,
  type PermissionState,
} from "../../inbox/notifications/notifier.tsx";
import { QuietHoursSection } from "./quiet-hours-section.tsx";
import { PushSection } from "./push-section.tsx";

export function NotificationsPart() {
  const { t } = useTranslation("settings");
  const hasSounds = usePreferences((preferences) => preferences.notificationSounds);
  return (
    <>
      <Section title={t("notify.here")} text={t("notify.hereText")}>
        <DesktopSwitch />
        <Switch
          label={t("notify.sounds")}
          checked={hasSounds}
          onChange={(notificationSounds) => setPreferences({ notificationSounds })}
        />
      </Section>
      <PushSection />
      <EmailSection />
      <QuietHoursSection />
      <KeywordsSection />
      <GroupLevels />
    </>
  );
}

/** Needs the browser's permission. */
function DesktopSwitch() {
  const { t } = useTranslation("settings");
  const isWanted = usePreferences((preferences) => preferences.desktopNotifications);
  const [permission, setPermission] = useState<PermissionState>(getPermission);
  const change = async (desktopNotifications: boolean) => {
    if (!desktopNotifications) return setPreferences({ desktopNotifications });
    const response = await requestNotificationPermission();
    setPermission(response);
    setPreferences({ desktopNotifications: response === "granted" });
  };
  return (
    <Switch
      label={t("notify.desktop")}
      hint={permission === "granted" || permission === "default" ? undefined : t(`notify.${permission}`)}
      checked={isWanted && permission === "granted"}
      disabled={permission === "unsupported"}
      onChange={(isOn) => void change(isOn)}
    />
  );
}

function KeywordsSection() {
  const { t } = useTranslation("settings");
  return (
    <Section title={t("keywords.title")} text={t("keywords.text")}>
      <Loaded of={useNotificationPreferences()} placeholder={<SkeletonRows count={2} />}>
        {({ keywords }) => <KeywordsForm keywords={keywords.join("\n")} />}
      </Loaded>
    </Section>
  );
}

function KeywordsForm({ keywords }: { keywords: string }) {
  const { t } = useTranslation("settings");
  const call = useCall();
  const form = useForm({
    initial: { keywords },
    submit: ({ keywords: text }) => call("notification.setPreferences", { keywords: wordsOf(text) }),
    saved: t("common:saved"),
  });
  const words = wordsOf(form.values.keywords);
  const wrong = words.find(
    ({ length }) => length < LIMITS.keywordMinChars || length > LIMITS.keywordMaxChars,
  );
  const problem =
    words.length > LIMITS.keywordsPerUser
      ? t("keywords.tooMany", { count: words.length, max: LIMITS.keywordsPerUser })
      : wrong !== undefined &&
        t("keywords.wrongLength", { word: wrong, min: LIMITS.keywordMinChars, max: LIMITS.keywordMaxChars });
  return (
    <Form form={form} action={t("common:save")} disabled={!form.changed || problem !== false}>
      <TextArea
        label={t("keywords.label")}
        hint={t("keywords.hint", { max: LIMITS.keywordsPerUser })}
        spellCheck={false}
        {...form.field("keywords")}
        error={problem === false ? form.field("keywords").error : problem}
      />
    </Form>
  );
}

type Emails = NotificationPreferences["emails"];

const CHOICES: readonly Emails[] = ["off", "quarterHour", "hour", "day"];

/** Emails about missed messages, for users with a verified address. */
function EmailSection() {
  const { t } = useTranslation("settings");
  const { emailVerified } = useMe();
  const sendsMail = useServerMeta()?.sendsMail;
  const missing =
    sendsMail === false ? t("emails.serverOff") : emailVerified ? null : t("emails.needsAddress");
  return (
    <Section title={t("emails.title")} text={t("emails.text")}>
      {missing === null ? (
        <EmailChoice />
      ) : (
        <p className="rounded-md bg-hover px-3 py-2 text-sm text-muted">{missing}</p>
      )}
    </Section>
  );
}

function EmailChoice() {
  const { t } = useTranslation("settings");
  const { email } = useMe();
  const call = useCall();
  const { error, save } = useSave();
  return (
    <Loaded of={useNotificationPreferences()} placeholder={<SkeletonRows count={1} />}>
      {({ emails, emailsRefused }) => (
        <>
          <Select
            label={t("emails.label")}
            value={emails}
            options={CHOICES.map((value) => ({ value, label: t(`emails.${value}`) }))}
            onChange={(chosen) => save(() => call("notification.setPreferences", { emails: chosen }))}
          />
          <ErrorNote text={error ?? (emailsRefused ? t("emails.refused", { email }) : null)} />
        </>
      )}
    </Loaded>
  );
}

type Level = NonNullable<NotificationSetting["level"]>;

const LEVELS: readonly Level[] = ["all", "mentions", "nothing"];

function GroupLevels() {
  const { t } = useTranslation("settings");
  const { data: groups } = useGroups();
  const query = useNotificationSettings();
  const { data: settings, error } = query;
  const levelOf = ({ id }: Group): Level =>
    settings?.find(({ groupId, channelId }) => groupId === id && channelId === null)?.level ?? "mentions";
  return (
    <Section title={t("common:groups")} text={t("levels.text")}>
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
  const { error, save } = useSave();
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
            options={LEVELS.map((value) => ({ value, label: t(`groups:notifications.${value}`) }))}
            onChange={(next) => save(() => call("notification.set", { groupId: group.id, level: next }))}
          />
        </div>
      </div>
      <ErrorNote text={error} />
    </>
  );
}
