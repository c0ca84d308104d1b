import { type ComponentProps, type ReactNode, useId } from "react";
import { cx } from "./cx.ts";

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

interface TextAreaProps extends FieldTexts, Omit<ComponentProps<"textarea">, "onChange" | "value"> {
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

export interface FieldTexts {
  label: string;
  /** Stays below; what to know before filling it in. */
  hint?: ReactNode;
  /** What is wrong with it, and what to do. */
  error?: string | null | undefined;
  /** For where the place makes clear what it is: the label is for screen readers only. */
  hideLabel?: boolean;
}

interface FieldIds {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
}

/** The looks of everything that text is typed into. */
export const FIELD_CLASS =
  "w-full rounded-md border border-line-strong bg-field px-3 text-text transition-colors focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0 aria-invalid:border-danger aria-invalid:outline-danger disabled:opacity-60";

/** Label, hint and error around something to fill in. */
export function Field({
  label,
  hint,
  error,
  hideLabel = false,
  children,
}: FieldTexts & { children: (ids: FieldIds) => ReactNode }) {
  const id = useId();
  const hasError = error !== undefined && error !== null && error !== "";
  const hasHint = hint !== undefined && hint !== null;
  const described = [hasHint && `${id}-hint`, hasError && `${id}-error`].filter((part) => part !== false);
  return (
    <div className="grid content-start gap-1.5">
      <label htmlFor={id} className={hideLabel ? "sr-only" : "text-sm font-medium"}>
        {label}
      </label>
      {children({
        id,
        "aria-describedby": described.length > 0 ? described.join(" ") : undefined,
        "aria-invalid": hasError || undefined,
      })}
      {hasError && (
        <p id={`${id}-error`} role="alert" className="text-sm text-danger-text">
          {error}
        </p>
      )}
      {hasHint && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}
