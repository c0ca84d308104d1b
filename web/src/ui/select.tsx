import { Select as Base } from "@base-ui/react/select";
import { Check, ChevronDown } from "lucide-react";
import { useState } from "react";
import { useBack } from "./use-back.ts";
import { cx } from "./cx.ts";
import { Field, FIELD_CLASS, type FieldTexts } from "./form.tsx";
import { MENU_ITEM_CLASS, POPUP_CLASS } from "./menu.tsx";
import { BACKDROP_CLASS, PLACE_CLASS, SheetHandle } from "./sheet.tsx";

export interface SelectOption<V extends string> {
  value: V;
  label: string;
}

export interface SelectProps<V extends string> extends FieldTexts {
  value: V;
  onChange: (value: V) => void;
  options: readonly SelectOption<V>[];
  disabled?: boolean;
}

/** A dropdown. For a few options that should all be visible, use a RadioGroup. */
export function Select<V extends string>({
  label,
  hint,
  error,
  hideLabel,
  value,
  onChange,
  options,
  disabled = false,
}: SelectProps<V>) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  useBack(isOpen, close);
  return (
    <Field label={label} hint={hint} error={error} {...(hideLabel && { hideLabel })}>
      {(ids) => (
        <Base.Root
          items={options}
          value={value}
          onValueChange={(next) => next !== null && onChange(next)}
          open={isOpen}
          onOpenChange={setOpen}
          disabled={disabled}
          modal={false}
        >
          <Base.Trigger
            {...ids}
            aria-label={label}
            className={cx(FIELD_CLASS, "flex min-h-control items-center justify-between gap-2 text-start")}
          >
            <Base.Value className="truncate" />
            <Base.Icon>
              <ChevronDown size={16} aria-hidden className="text-muted" />
            </Base.Icon>
          </Base.Trigger>
          <Base.Portal>
            <Base.Backdrop className={BACKDROP_CLASS} />
            <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className={PLACE_CLASS}>
              <Base.Popup
                className={cx(
                  POPUP_CLASS,
                  "max-h-[min(24rem,var(--available-height))] min-w-(--anchor-width) overflow-y-auto",
                )}
              >
                <SheetHandle onClose={close} />
                {options.map((option) => (
                  <Base.Item key={option.value} value={option.value} className={MENU_ITEM_CLASS}>
                    <Base.ItemText className="flex-1 truncate">{option.label}</Base.ItemText>
                    <Base.ItemIndicator>
                      <Check size={16} aria-hidden />
                    </Base.ItemIndicator>
                  </Base.Item>
                ))}
              </Base.Popup>
            </Base.Positioner>
          </Base.Portal>
        </Base.Root>
      )}
    </Field>
  );
}

export interface NumberSelectProps extends Omit<SelectProps<string>, "value" | "onChange" | "options"> {
  value: number;
  onChange: (value: number) => void;
  choices: readonly number[];
  textOf: (value: number) => string;
}

/** Also offers a value that another client has set. */
export function NumberSelect({ value, onChange, choices, textOf, ...field }: NumberSelectProps) {
  const offered = choices.includes(value) ? choices : [...choices, value].toSorted((a, b) => a - b);
  return (
    <Select
      value={String(value)}
      onChange={(chosen) => onChange(Number(chosen))}
      options={offered.map((one) => ({ value: String(one), label: textOf(one) }))}
      {...field}
    />
  );
}
