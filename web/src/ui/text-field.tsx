import type { ComponentProps, ReactNode } from "react";
import { cx } from "./cx.ts";
import { Field, FIELD_CLASS, type FieldTexts } from "./field.tsx";

export interface TextFieldProps extends FieldTexts, Omit<ComponentProps<"input">, "onChange" | "value"> {
  value: string;
  onChange?: (value: string) => void;
  /** Beside the field, such as a button. */
  after?: ReactNode;
}

export function TextField({
  label,
  hint,
  error,
  hideLabel,
  value,
  onChange,
  after,
  className,
  ...rest
}: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} {...(hideLabel && { hideLabel })}>
      {(ids) => (
        <div className="flex gap-2">
          <input
            className={cx(FIELD_CLASS, "min-h-control read-only:bg-sidebar", className)}
            value={value}
            onChange={(event) => onChange?.(event.target.value)}
            {...rest}
            {...ids}
          />
          {after}
        </div>
      )}
    </Field>
  );
}
