import type { QuietHours } from "@fanfare/contract/notification-rules";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useServerCache } from "../../data/data-context.ts";
import { useNotificationPreferences } from "../../data/inbox.ts";
import { useSave } from "../../shared/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Switch } from "../../ui/choices.tsx";
import { ErrorNote, Loaded, SkeletonRows } from "../../ui/feedback.tsx";
import { TextField } from "../../ui/form.tsx";
import { Section } from "../../ui/settings-layout.tsx";

const DAYS = [1, 2, 3, 4, 5, 6, 7];
/** Any Monday, at noon in UTC. */
const MONDAY_MS = Date.UTC(2024, 0, 1, 12);
const DAY_MS = 24 * 60 * 60 * 1000;

const deviceTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
const nightly = (): QuietHours => ({ from: "22:00", to: "07:00", days: DAYS, timeZone: deviceTimeZone() });

/** Each choice is saved at once. */
export function QuietHoursSection() {
  const { t } = useTranslation("settings");
  const { store } = useServerCache();
  const call = useCall();
  const { error, save } = useSave();
  const set = (quietHours: QuietHours | null) => call("notification.setPreferences", { quietHours });
  const change: ChangeHours = (changesOf) =>
    save(async () => {
      const latest = store.state.notificationPreferences?.quietHours;
      if (latest) await set({ ...latest, ...changesOf(latest) });
    });
  return (
    <Section title={t("quiet.title")} text={t("quiet.text")}>
      <Loaded of={useNotificationPreferences()} placeholder={<SkeletonRows count={2} />}>
        {({ quietHours }) => (
          <>
            <Switch
              label={t("quiet.switch")}
              checked={quietHours !== null}
              onChange={(isOn) => save(() => set(isOn ? nightly() : null))}
            />
            {quietHours !== null && <Hours hours={quietHours} onChange={change} />}
          </>
        )}
      </Loaded>
      <ErrorNote text={error} />
    </Section>
  );
}

/** Receives the latest hours: those shown can be older than a change that was just made. */
type ChangeHours = (changesOf: (latest: QuietHours) => Partial<QuietHours>) => void;

function Hours({ hours, onChange }: { hours: QuietHours; onChange: ChangeHours }) {
  const { t, i18n } = useTranslation("settings");
  const { from, to, days, timeZone } = hours;
  const weekday = new Intl.DateTimeFormat(i18n.language, { weekday: "short", timeZone: "UTC" });
  const ownZone = deviceTimeZone();
  const toggle = (day: number, isOn: boolean) =>
    onChange((latest) => ({
      days: DAYS.filter((one) => (one === day ? isOn : latest.days.includes(one))),
    }));
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <TimeField
          key={`from ${from}`}
          label={t("quiet.from")}
          value={from}
          onChange={(time) => onChange(() => ({ from: time }))}
        />
        <TimeField
          key={`to ${to}`}
          label={t("quiet.to")}
          hint={to <= from && t("quiet.nextDay")}
          value={to}
          onChange={(time) => onChange(() => ({ to: time }))}
        />
      </div>
      <fieldset className="grid gap-2">
        <legend className="mb-2 text-sm font-medium">{t("quiet.days")}</legend>
        <div className="flex flex-wrap gap-x-4 gap-y-2">
          {DAYS.map((day) => (
            <Checkbox
              key={day}
              label={weekday.format(MONDAY_MS + (day - 1) * DAY_MS)}
              checked={days.includes(day)}
              disabled={days.length === 1 && days.includes(day)}
              onChange={(isOn) => toggle(day, isOn)}
            />
          ))}
        </div>
      </fieldset>
      <div className="flex flex-wrap items-center gap-3">
        <p className="text-sm text-muted">{t("quiet.zone", { zone: timeZone })}</p>
        {timeZone !== ownZone && (
          <Button size="sm" onClick={() => onChange(() => ({ timeZone: ownZone }))}>
            {t("quiet.useZone", { zone: ownZone })}
          </Button>
        )}
      </div>
    </>
  );
}

interface TimeFieldProps {
  label: string;
  hint?: string | false;
  value: string;
  onChange: (time: string) => void;
}

/** Saves when the field is left: while it's being typed, each digit makes another time. */
function TimeField({ label, hint = false, value, onChange }: TimeFieldProps) {
  const [time, setTime] = useState(value);
  return (
    <TextField
      type="time"
      label={label}
      hint={hint === false ? undefined : hint}
      value={time}
      onChange={setTime}
      onBlur={() => {
        if (time === "") setTime(value);
        else if (time !== value) onChange(time);
      }}
    />
  );
}
