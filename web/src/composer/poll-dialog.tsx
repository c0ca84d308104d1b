import type { ChannelView } from "@fanfare/client";
import { LIMITS } from "@fanfare/contract/limits";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { sendMessage } from "../channel/messages/outbox.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Switch } from "../ui/choices.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextArea, TextField } from "../ui/form.tsx";
import { Select } from "../ui/select.tsx";

const HOUR_MS = 3_600_000;
const DURATIONS = {
  hour: HOUR_MS,
  hours8: 8 * HOUR_MS,
  day: 24 * HOUR_MS,
  days3: 72 * HOUR_MS,
  week: 168 * HOUR_MS,
  open: null,
} as const;
type Duration = keyof typeof DURATIONS;

interface PollDialogProps {
  view: ChannelView;
  /** The question so far. */
  question: string;
  /** Called when the poll is sent. */
  onDone: () => void;
  onClose: () => void;
}

export function PollDialog({ view, question: written, onDone, onClose }: PollDialogProps) {
  const { t } = useTranslation("composer");
  const [question, setQuestion] = useState(written);
  const [options, setOptions] = useState(["", ""]);
  const [duration, setDuration] = useState<Duration>("day");
  const [allowsSeveral, setAllowsSeveral] = useState(false);
  const filled = options.map((text) => text.trim()).filter((text) => text !== "");
  const isReady = question.trim() !== "" && filled.length >= 2;
  const send = () => {
    if (!isReady) return;
    const ms = DURATIONS[duration];
    const endsAt = ms === null ? null : new Date(Date.now() + ms).toISOString();
    void sendMessage(view, question.trim(), { poll: { options: filled, allowsSeveral, endsAt } });
    onDone();
    onClose();
  };
  return (
    <Dialog
      onClose={onClose}
      title={t("poll.title")}
      footer={
        <>
          <Button onClick={onClose}>{t("ui:cancel")}</Button>
          <Button variant="primary" disabled={!isReady} onClick={send}>
            {t("poll.start")}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <TextArea
          label={t("poll.question")}
          value={question}
          onChange={setQuestion}
          maxLength={LIMITS.messageMaxChars}
          autoFocus
        />
        <fieldset className="grid gap-2">
          <legend className="mb-1.5 text-sm font-medium">{t("poll.options")}</legend>
          {options.map((text, index) => (
            <TextField
              key={index}
              hideLabel
              label={t("poll.option", { number: index + 1 })}
              placeholder={t("poll.option", { number: index + 1 })}
              value={text}
              maxLength={LIMITS.pollOptionMaxChars}
              onChange={(next) => setOptions(options.with(index, next))}
              after={
                options.length > 2 && (
                  <IconButton
                    icon={X}
                    label={t("poll.removeOption", { number: index + 1 })}
                    onClick={() => setOptions(options.toSpliced(index, 1))}
                  />
                )
              }
            />
          ))}
          {options.length < LIMITS.pollOptions && (
            <Button
              size="sm"
              icon={Plus}
              className="justify-self-start"
              onClick={() => setOptions([...options, ""])}
            >
              {t("poll.addOption")}
            </Button>
          )}
        </fieldset>
        <Select
          label={t("poll.duration")}
          value={duration}
          onChange={(next) => setDuration(next)}
          options={(Object.keys(DURATIONS) as Duration[]).map((value) => ({
            value,
            label: t(`poll.durations.${value}`),
          }))}
        />
        <Switch label={t("poll.allowsSeveral")} checked={allowsSeveral} onChange={setAllowsSeveral} />
      </div>
    </Dialog>
  );
}
