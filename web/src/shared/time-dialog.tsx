import { type FormEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/feedback.tsx";
import { LATER_TIMES, localTime } from "./later-times.ts";
import { dayAndTime } from "./times.ts";
import { useAction } from "./use-action.ts";

interface TimeDialogProps {
  title: string;
  /** Of the button beside the field for another time. */
  action: string;
  /** The dialog closes when it resolves, and shows the error when it rejects. */
  onPick: (time: Date) => Promise<unknown>;
  onClose: () => void;
}

/** Asks for a time in the future. */
export function TimeDialog({ title, action, onPick, onClose }: TimeDialogProps) {
  const { t } = useTranslation("shared");
  const { busy, error, run } = useAction();
  const fieldId = useId();
  const [now] = useState(() => new Date());
  const pick = async (time: Date) => {
    if (await run(() => onPick(time))) onClose();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const value = new FormData(event.currentTarget).get("time");
    if (typeof value === "string" && value !== "") void pick(new Date(value));
  };
  return (
    <Dialog onClose={onClose} title={title} size="sm">
      <ul className="grid gap-1">
        {LATER_TIMES.map(({ id, after, textKey }) => (
          <li key={id}>
            <button
              type="button"
              disabled={busy}
              className="flex min-h-row w-full items-center justify-between gap-4 rounded-sm px-2.5 text-start hover:bg-hover"
              onClick={() => void pick(after(now))}
            >
              <span>{t(textKey)}</span>
              <span className="text-sm text-muted">{dayAndTime(after(now).toISOString())}</span>
            </button>
          </li>
        ))}
      </ul>
      <form className="mt-3 grid gap-2 border-t border-line pt-3" onSubmit={submit}>
        <label htmlFor={fieldId} className="text-sm font-medium">
          {t("later.other")}
        </label>
        <div className="flex flex-wrap gap-2">
          <input
            id={fieldId}
            name="time"
            type="datetime-local"
            required
            min={localTime(now)}
            className="min-h-control min-w-0 flex-1 rounded-md border border-line-strong bg-field px-2"
          />
          <Button type="submit" variant="primary" busy={busy}>
            {action}
          </Button>
        </div>
      </form>
      <ErrorNote text={error} />
    </Dialog>
  );
}
