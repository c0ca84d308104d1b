import { Check, type LucideIcon, Minus, X } from "lucide-react";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "../../../ui/cx.ts";
import type { Stance } from "./override-bits.ts";

interface StanceSwitchProps {
  label: string;
  hint: string;
  value: Stance;
  onChange: (stance: Stance) => void;
  disabled: boolean;
}

const CHOICES: { value: Stance; icon: LucideIcon; on: string }[] = [
  { value: "deny", icon: X, on: "peer-checked:bg-danger peer-checked:text-on-danger" },
  { value: "inherit", icon: Minus, on: "peer-checked:bg-selected peer-checked:text-text" },
  { value: "allow", icon: Check, on: "peer-checked:bg-good peer-checked:text-canvas" },
];

/** To deny something, to leave it to the group, or to allow it. */
export function StanceSwitch({ label, hint, value, onChange, disabled }: StanceSwitchProps) {
  const { t } = useTranslation("channels");
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className="flex items-start justify-between gap-4 border-b border-line py-2.5 last:border-0"
    >
      <span className="grid gap-0.5">
        <span className="font-medium">{label}</span>
        <span className="text-sm text-muted">{hint}</span>
      </span>
      <span className="flex shrink-0 overflow-hidden rounded-md border border-line-strong">
        {CHOICES.map(({ value: stance, icon: Icon, on }) => (
          <label key={stance} title={t(`stance.${stance}`)} className="flex">
            <input
              type="radio"
              name={name}
              value={stance}
              checked={value === stance}
              disabled={disabled}
              onChange={() => onChange(stance)}
              className="peer sr-only"
            />
            <span
              className={cx(
                "flex h-control-sm w-9 items-center justify-center text-muted -outline-offset-2 peer-focus-visible:outline-2 peer-focus-visible:outline-accent peer-disabled:opacity-50",
                !disabled && "cursor-pointer hover:bg-hover",
                on,
              )}
            >
              <Icon size={16} aria-hidden />
              <span className="sr-only">{t(`stance.${stance}`)}</span>
            </span>
          </label>
        ))}
      </span>
    </div>
  );
}
