import { type ReactNode, useId } from "react";
import { Radio } from "@base-ui/react/radio";
import { RadioGroup as RadioBase } from "@base-ui/react/radio-group";
import { Switch as SwitchBase } from "@base-ui/react/switch";
import { cx } from "./cx.ts";

interface RadioOption<V extends string> {
  value: V;
  label: ReactNode;
  hint?: ReactNode;
  disabled?: boolean;
}

interface RadioGroupProps<V extends string> {
  label: string;
  /** If a heading says the same. */
  hideLabel?: boolean;
  value: V;
  onChange: (value: V) => void;
  options: readonly RadioOption<V>[];
  inline?: boolean;
}

export function RadioGroup<V extends string>({
  label,
  hideLabel = false,
  value,
  onChange,
  options,
  inline = false,
}: RadioGroupProps<V>) {
  const id = useId();
  return (
    <div className="grid gap-2">
      <span id={id} className={hideLabel ? "sr-only" : "text-sm font-medium"}>
        {label}
      </span>
      <RadioBase
        aria-labelledby={id}
        value={value}
        onValueChange={onChange}
        className={cx("flex gap-2", inline ? "flex-wrap" : "flex-col")}
      >
        {options.map((option) => (
          <label
            key={option.value}
            className="flex items-start gap-2.5 rounded-md border border-line px-3 py-2 select-none transition-colors hover:border-line-strong has-data-checked:border-accent has-data-disabled:opacity-50"
          >
            <Radio.Root
              value={option.value}
              disabled={option.disabled ?? false}
              className="mt-0.5 flex size-4.5 shrink-0 items-center justify-center rounded-full border border-line-strong bg-field data-checked:border-accent data-checked:bg-accent"
            >
              <Radio.Indicator className="size-2 rounded-full bg-on-accent" />
            </Radio.Root>
            <span className="grid gap-0.5">
              <span>{option.label}</span>
              {option.hint !== undefined && <span className="text-sm text-muted">{option.hint}</span>}
            </span>
          </label>
        ))}
      </RadioBase>
    </div>
  );
}

interface SwitchProps {
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

/** A setting that takes effect at once. */
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
      <SwitchBase.Root
        id={id}
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        aria-labelledby={`${id}-label`}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="flex h-6 w-10 shrink-0 items-center rounded-full bg-line-strong p-0.5 transition-colors data-checked:bg-accent data-disabled:opacity-50"
      >
        <SwitchBase.Thumb className="size-5 rounded-full bg-on-danger transition-transform data-checked:translate-x-4 rtl:data-checked:-translate-x-4 dark:bg-canvas" />
      </SwitchBase.Root>
    </div>
  );
}

interface SegmentsProps<V extends string> {
  label: string;
  value: V;
  onChange: (value: V) => void;
  options: readonly { value: V; label: string }[];
}

/** A choice between two or three short options. */
export function Segments<V extends string>({ label, value, onChange, options }: SegmentsProps<V>) {
  return (
    <RadioBase
      aria-label={label}
      value={value}
      onValueChange={onChange}
      className="flex gap-0.5 rounded-md bg-code p-0.5"
    >
      {options.map((option) => (
        <Radio.Root
          key={option.value}
          value={option.value}
          className="flex min-h-7 min-w-0 flex-1 cursor-pointer items-center justify-center rounded-sm px-2 text-xs font-medium text-muted hover:text-text data-checked:bg-raised data-checked:text-text data-checked:ring-1 data-checked:ring-line touch:min-h-9"
        >
          <span className="truncate">{option.label}</span>
        </Radio.Root>
      ))}
    </RadioBase>
  );
}
