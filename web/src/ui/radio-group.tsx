import { Radio } from "@base-ui/react/radio";
import { RadioGroup as Base } from "@base-ui/react/radio-group";
import { type ReactNode, useId } from "react";
import { cx } from "./cx.ts";

export interface RadioOption<V extends string> {
  value: V;
  label: ReactNode;
  hint?: ReactNode;
  disabled?: boolean;
}

export interface RadioGroupProps<V extends string> {
  label: string;
  value: V;
  onChange: (value: V) => void;
  options: readonly RadioOption<V>[];
  /** Beside each other where there is room. */
  inline?: boolean;
}

/** One of a few choices, all of them seen. */
export function RadioGroup<V extends string>({
  label,
  value,
  onChange,
  options,
  inline = false,
}: RadioGroupProps<V>) {
  const id = useId();
  return (
    <div className="grid gap-2">
      <span id={id} className="text-sm font-medium">
        {label}
      </span>
      <Base
        aria-labelledby={id}
        value={value}
        onValueChange={onChange}
        className={cx("flex gap-2", inline ? "flex-wrap" : "flex-col")}
      >
        {options.map((option) => (
          <label
            key={option.value}
            className="flex items-start gap-2.5 rounded-md border border-line px-3 py-2 select-none has-data-checked:border-accent has-data-checked:bg-accent-soft has-data-disabled:opacity-50"
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
      </Base>
    </div>
  );
}
