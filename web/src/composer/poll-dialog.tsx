import type { ChannelView } from "@fanfare/client";
import { LIMITS } from "@fanfare/contract/limits";
import { Plus, X } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { sendMessage } from "../channel/messages/outbox.ts";
import { useFormats } from "../shared/formats.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Switch } from "../ui/choices.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextArea, TextField } from "../ui/form.tsx";
import { NumberSelect } from "../ui/select.tsx";

const HOUR_MS = 3_600_000;
/** Stands for no end. */
const OPEN = 0;
const HOURS = [1, 8, 24, 72, 168, OPEN];

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
  const { wholeDuration } = useFormats();
  const [question, setQuestion] = useState(written);
  const [options, setOptions] = useState(["", ""]);
  const [hours, setHours] = useState(24);
  const [allowsSeveral, setAllowsSeveral] = useState(false);
  const fields = useRef<(HTMLInputElement | null)[]>([]);
  const remove = (index: number) => {
    setOptions(options.toSpliced(index, 1));
    // The option that takes its place, or the last one.
    fields.current[Math.min(index, options.length - 2)]?.focus();
  };
  const filled = options.map((text) => text.trim()).filter((text) => text !== "");
  const isReady = question.trim() !== "" && filled.length >= 2;
  const send = () => {
    if (!isReady) return;
    const endsAt = hours === OPEN ? null : new Date(Date.now() + hours * HOUR_MS).toISOString();
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
              ref={(field) => {
                fields.current[index] = field;
              }}
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
                    onClick={() => remove(index)}
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
        <NumberSelect
          label={t("poll.duration")}
          value={hours}
          onChange={setHours}
          choices={HOURS}
          textOf={(count) => (count === OPEN ? t("poll.open") : wholeDuration(count * HOUR_MS))}
        />
        <Switch label={t("poll.allowsSeveral")} checked={allowsSeveral} onChange={setAllowsSeveral} />
      </div>
    </Dialog>
  );
}
