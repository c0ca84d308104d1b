import { Checkbox as CheckboxBase } from "@base-ui/react/checkbox";
import { Check, Minus } from "lucide-react";
import { type ReactNode, useId } from "react";

interface CheckboxProps {
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** Partially selected. */
  indeterminate?: boolean;
  disabled?: boolean;
}

/** For forms. Use a Switch for settings that take effect at once. */
export function Checkbox({
  label,
  hint,
  checked,
  onChange,
  indeterminate = false,
  disabled = false,
}: CheckboxProps) {
  const id = useId();
  return (
    <div className="flex min-h-6 items-start gap-2.5">
      <CheckboxBase.Root
        checked={checked}
        onCheckedChange={onChange}
        indeterminate={indeterminate}
        disabled={disabled}
        aria-labelledby={`${id}-label`}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        id={id}
        className="mt-px flex size-5 shrink-0 items-center justify-center rounded-sm border border-line-strong bg-field data-checked:border-accent data-checked:bg-accent data-disabled:opacity-50 data-indeterminate:border-accent data-indeterminate:bg-accent"
      >
        <CheckboxBase.Indicator className="text-on-accent">
          {indeterminate ? <Minus size={14} strokeWidth={3} /> : <Check size={14} strokeWidth={3} />}
        </CheckboxBase.Indicator>
      </CheckboxBase.Root>
      <label htmlFor={id} className="grid gap-0.5 select-none">
        <span id={`${id}-label`}>{label}</span>
        {hint !== undefined && (
          <span id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </span>
        )}
      </label>
    </div>
  );
}

interface CheckboxListProps<V extends string> {
  options: readonly { value: V; label: ReactNode }[];
  value: readonly V[];
  onChange: (value: V[]) => void;
}

/** Any of several items. */
export function CheckboxList<V extends string>({ options, value: chosen, onChange }: CheckboxListProps<V>) {
  return options.map(({ value, label }) => (
    <Checkbox
      key={value}
      label={label}
      checked={chosen.includes(value)}
      onChange={(isOn) => onChange(isOn ? [...chosen, value] : chosen.filter((one) => one !== value))}
    />
  ));
}
