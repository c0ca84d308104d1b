import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../ui/button.tsx";
import { Popover } from "../../../ui/popover.tsx";
import { dayName } from "../times.ts";

interface DayDividerProps {
  time: string;
  /** Goes to the first message of another day. */
  onDate: (day: Date) => void;
}

/** Where a day begins; it offers to go to another one. */
export function DayDivider({ time, onDate }: DayDividerProps) {
  const { t } = useTranslation("messages");
  const fieldId = useId();
  return (
    <div role="group" aria-label={dayName(time)} className="flex items-center gap-3 px-4 pt-5 pb-1 md:px-5">
      <span className="h-px flex-1 bg-line" />
      <Popover
        label={t("day.goTo")}
        trigger={
          <button
            type="button"
            className="rounded-full border border-line px-3 py-0.5 text-xs font-medium text-muted hover:border-line-strong hover:text-text"
          >
            {dayName(time)}
          </button>
        }
      >
        {(close) => (
          <form
            className="grid gap-2"
            onSubmit={(event) => {
              event.preventDefault();
              const value = new FormData(event.currentTarget).get("day");
              close();
              // Without a time of day it would be that of Greenwich.
              if (typeof value === "string" && value !== "") onDate(new Date(`${value}T00:00`));
            }}
          >
            <label htmlFor={fieldId} className="text-sm font-medium">
              {t("day.goTo")}
            </label>
            <div className="flex gap-2">
              <input
                id={fieldId}
                name="day"
                type="date"
                required
                defaultValue={isoDay(new Date(time))}
                max={isoDay(new Date())}
                className="min-h-control rounded-md border border-line-strong bg-field px-2"
              />
              <Button type="submit" variant="primary">
                {t("day.go")}
              </Button>
            </div>
          </form>
        )}
      </Popover>
      <span className="h-px flex-1 bg-line" />
    </div>
  );
}

/** A day of the user's calendar, as fields for dates write it. */
function isoDay(day: Date): string {
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
