import type { ComponentProps } from "react";
import { cx } from "./cx.ts";
import { Field, FIELD_CLASS, type FieldTexts } from "./field.tsx";

export interface TextAreaProps extends FieldTexts, Omit<ComponentProps<"textarea">, "onChange" | "value"> {
  value: string;
  onChange: (value: string) => void;
}

/** Grows with its text, up to a part of the window. */
export function TextArea({
  label,
  hint,
  error,
  hideLabel,
  value,
  onChange,
  className,
  ...rest
}: TextAreaProps) {
  return (
    <Field label={label} hint={hint} error={error} {...(hideLabel && { hideLabel })}>
      {(ids) => (
        <textarea
          rows={3}
          className={cx(
            FIELD_CLASS,
            "field-sizing-content max-h-[40dvh] min-h-control resize-none py-2",
            className,
          )}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          {...rest}
          {...ids}
        />
      )}
    </Field>
  );
}
