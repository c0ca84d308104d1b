import type { NotificationPreferences } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useNotificationPreferences } from "../../data/inbox.ts";
import { useMe } from "../../data/me.ts";
import { useServerMeta } from "../../session/server-meta.ts";
import { useSave } from "../../shared/use-action.ts";
import { ErrorNote, Pending, SkeletonRows } from "../../ui/feedback.tsx";
import { Select } from "../../ui/select.tsx";
import { Section } from "../section.tsx";

type Emails = NotificationPreferences["emails"];

const CHOICES: readonly Emails[] = ["off", "quarterHour", "hour", "day"];

/** Emails about missed messages, for users with a verified address. */
export function EmailSection() {
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
  const query = useNotificationPreferences();
  const { data: preferences } = query;
  const call = useCall();
  const { error, save } = useSave();
  if (preferences === undefined) {
    return (
      <Pending of={query}>
        <SkeletonRows count={1} />
      </Pending>
    );
  }
  return (
    <>
      <Select
        label={t("emails.label")}
        value={preferences.emails}
        options={CHOICES.map((value) => ({ value, label: t(`emails.${value}`) }))}
        onChange={(emails) => save(call("notification.setPreferences", { emails }))}
      />
      <ErrorNote text={error ?? (preferences.emailsRefused ? t("emails.refused", { email }) : null)} />
    </>
  );
}
