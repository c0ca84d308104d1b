import { Switch as Base } from "@base-ui/react/switch";
import { type ReactNode, useId } from "react";

export interface SwitchProps {
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

/** Takes effect at once: its text at the left, the switch at the right. */
export function Switch({ label, hint, checked, onChange, disabled = false }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex items-start justify-between gap-4">
      <label htmlFor={id} className="grid gap-0.5 select-none">
        <span id={`${id}-label`} className="font-medium">
          {label}
        </span>
        {hint !== undefined && (
          <span id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </span>
        )}
      </label>
      <Base.Root
        id={id}
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        aria-labelledby={`${id}-label`}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="flex h-6 w-10 shrink-0 items-center rounded-full bg-line-strong p-0.5 transition-colors data-checked:bg-accent data-disabled:opacity-50"
      >
        <Base.Thumb className="size-5 rounded-full bg-on-danger transition-transform data-checked:translate-x-4 dark:bg-canvas" />
      </Base.Root>
    </div>
  );
}
