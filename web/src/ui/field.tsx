import { type ReactNode, useId } from "react";

export interface FieldTexts {
  label: string;
  /** Stays below; what to know before filling it in. */
  hint?: ReactNode;
  /** What is wrong with it, and what to do. */
  error?: string | null | undefined;
  /** For where the place makes clear what it is: the label is for screen readers only. */
  hideLabel?: boolean;
}

export interface FieldIds {
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
