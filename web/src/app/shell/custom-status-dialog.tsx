import type { CustomStatus } from "@fanfare/contract";
import { SmilePlus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { LIMITS } from "@fanfare/contract/limits";
import { EmojiPopover } from "../../channel/emoji/emoji-popover.tsx";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { useCustomStatus } from "../../people/members/user-name.tsx";
import { dayAndTime } from "../../shared/times.ts";
import { useAction } from "../../shared/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/feedback.tsx";
import { TextField } from "../../ui/form.tsx";
import { Select } from "../../ui/select.tsx";

const MINUTE_MS = 60_000;

function endOfDay(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days + 1);
}

/** When the status expires. */
const ENDS = {
  never: () => null,
  minutes30: (now: Date) => new Date(now.getTime() + 30 * MINUTE_MS),
  hours4: (now: Date) => new Date(now.getTime() + 240 * MINUTE_MS),
  today: (now: Date) => endOfDay(now, 0),
  // Sunday is the last day of the week.
  week: (now: Date) => endOfDay(now, (7 - now.getDay()) % 7),
} as const;
const SUGGESTIONS = [
  { emoji: "📅", end: "minutes30", textKey: "customStatus.meeting" },
  { emoji: "🤒", end: "today", textKey: "customStatus.sick" },
  { emoji: "🌴", end: "week", textKey: "customStatus.vacation" },
  { emoji: "🏡", end: "today", textKey: "customStatus.remote" },
] as const;

export function CustomStatusDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("shell");
  const call = useCall();
  const current = useCustomStatus(useMe());
  const [emoji, setEmoji] = useState(current?.emoji ?? null);
  const [text, setText] = useState(current?.text ?? "");
  /** Of the present status; null if it stays. */
  const [present] = useState(current?.expiresAt ?? null);
  const [end, setEnd] = useState<keyof typeof ENDS | "present">(present === null ? "never" : "present");
  const { busy, error, run } = useAction();
  const isEmpty = emoji === null && text.trim() === "";
  const save = async (status: CustomStatus | null) => {
    if (await run(() => call("user.updateProfile", { customStatus: status }))) onClose();
  };
  const submit = () => {
    const expiresAt = end === "present" ? present : (ENDS[end](new Date())?.toISOString() ?? null);
    return save(isEmpty ? null : { emoji, text: text.trim(), expiresAt });
  };
  return (
    <Dialog
      onClose={onClose}
      title={t("customStatus.title")}
      size="sm"
      footer={
        <>
          {current !== undefined && (
            <Button variant="ghost" disabled={busy} onClick={() => void save(null)}>
              {t("customStatus.clear")}
            </Button>
          )}
          <Button variant="primary" busy={busy} onClick={() => void submit()}>
            {t("common:save")}
          </Button>
        </>
      }
    >
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div className="flex items-end gap-2">
          <EmojiPopover
            label={t("customStatus.emoji")}
            trigger={
              <button
                type="button"
                aria-label={t("customStatus.emoji")}
                className="flex size-control shrink-0 items-center justify-center rounded-md border border-line-strong bg-field text-lg hover:bg-hover"
              >
                {emoji ?? <SmilePlus size={18} aria-hidden className="text-muted" />}
              </button>
            }
            side="bottom"
            align="start"
            onPick={setEmoji}
          />
          <div className="min-w-0 flex-1">
            <TextField
              label={t("customStatus.text")}
              value={text}
              onChange={setText}
              maxLength={LIMITS.customStatusMaxChars}
            />
          </div>
        </div>
        <ul className="flex flex-wrap gap-1.5" aria-label={t("common:suggestions")}>
          {SUGGESTIONS.map((suggestion) => (
            <li key={suggestion.textKey}>
              <Button
                size="sm"
                onClick={() => {
                  setEmoji(suggestion.emoji);
                  setText(t(suggestion.textKey));
                  setEnd(suggestion.end);
                }}
              >
                {suggestion.emoji} {t(suggestion.textKey)}
              </Button>
            </li>
          ))}
        </ul>
        <Select
          label={t("customStatus.until")}
          value={end}
          onChange={setEnd}
          options={[
            ...(present === null ? [] : [{ value: "present" as const, label: dayAndTime(present) }]),
            ...(Object.keys(ENDS) as (keyof typeof ENDS)[]).map((value) => ({
              value,
              label: t(`customStatus.end.${value}`),
            })),
          ]}
        />
        <ErrorNote text={error} />
      </form>
    </Dialog>
  );
}
