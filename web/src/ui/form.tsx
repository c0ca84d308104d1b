import { type ComponentProps, type ReactNode, useId, type FormEvent, useState } from "react";
import { cx } from "./cx.ts";
import { FanfareError } from "@fanfare/client";
import { errorText, issueText } from "../shared/use-action.ts";
import { Button } from "./button.tsx";
import { ErrorNote, showToast } from "./feedback.tsx";

export interface TextFieldProps extends FieldTexts, Omit<ComponentProps<"input">, "onChange" | "value"> {
  value: string;
  onChange?: (value: string) => void;
  /** Next to the field, such as a button. */
  after?: ReactNode;
}

/** A field to find items of the list below it. */
export function FilterField(props: TextFieldProps) {
  return <TextField type="search" hideLabel placeholder={props.label} {...props} />;
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
            autoComplete="off"
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

/** Grows with its text, up to a limit. */
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
  /** Shown below, before and while the field is filled in. */
  hint?: ReactNode;
  /** What is wrong and what to do. */
  error?: string | null | undefined;
  /** Hides the label visually where the context is clear. */
  hideLabel?: boolean;
}

interface FieldIds {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
}

/** Styles shared by all text fields. */
export const FIELD_CLASS =
  "w-full rounded-md border border-line-strong bg-field px-3 text-text transition-colors focus-visible:border-focus focus-visible:outline-1 focus-visible:outline-offset-0 aria-invalid:border-danger aria-invalid:outline-danger disabled:opacity-60";

/** A label, hint and error around a control. */
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

type Values = Record<string, unknown>;

export interface FormOptions<V extends Values> {
  /** Later changes are taken over by the fields that the user hasn't changed. */
  initial: V;
  /** Errors are shown on the field they are about, otherwise below the fields. */
  submit: (values: V) => Promise<unknown>;
  /** Maps error codes to fields; VALIDATION_FAILED names its fields itself. */
  fieldOfError?: Partial<Record<string, keyof V & string>>;
  /** Toast text after a success. */
  saved?: string;
  onDone?: () => void;
}

export interface FormState<V extends Values> {
  values: V;
  set: <K extends keyof V>(name: K, value: V[K]) => void;
  /** The props of a TextField, TextArea or Select: value, onChange, error. */
  field: <K extends keyof V & string>(
    name: K,
  ) => { value: V[K]; onChange: (value: V[K]) => void; error: string | undefined };
  /** Whether a value differs from the initial one. */
  changed: boolean;
  busy: boolean;
  /** An error that isn't about a single field. */
  error: string | null;
  onSubmit: (event?: FormEvent) => void;
  /** Not within `submit`, whose values become the initial ones. */
  reset: () => void;
}

type FieldErrors = Record<string, string>;

/** Form state: values, progress and errors. */
export function useForm<V extends Values>(options: FormOptions<V>): FormState<V> {
  const { initial, submit, fieldOfError, saved, onDone } = options;
  const [start, setStart] = useState(initial);
  const [values, setValues] = useState(initial);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [fieldErrors, setFieldErrors] = useState<FieldErrors>({});
  const names = Object.keys(initial) as (keyof V & string)[];
  const changedNames = names.filter((name) => values[name] !== start[name]);

  const [seen, setSeen] = useState(initial);
  const moved = names.filter((name) => JSON.stringify(initial[name]) !== JSON.stringify(seen[name]));
  if (moved.length > 0) {
    setSeen(initial);
    const taken = pick(
      initial,
      moved.filter((name) => !changedNames.includes(name)),
    );
    setStart({ ...start, ...taken });
    setValues({ ...values, ...taken });
  }

  const set: FormState<V>["set"] = (name, value) => {
    setValues((others) => ({ ...others, [name]: value }));
    setFieldErrors(({ [name as string]: _corrected, ...others }) => others);
  };
  const run = async (): Promise<void> => {
    if (busy) return;
    setBusy(true);
    setError(null);
    setFieldErrors({});
    try {
      await submit(values);
      setStart((now) => ({ ...now, ...pick(values, changedNames) }));
      if (saved !== undefined) showToast({ text: saved, tone: "good" });
      onDone?.();
    } catch (failure) {
      const found = errorsOfFields(failure, values, fieldOfError ?? {});
      if (Object.keys(found).length > 0) setFieldErrors(found);
      else setError(errorText(failure));
    } finally {
      setBusy(false);
    }
  };
  return {
    values,
    set,
    field: (name) => ({
      value: values[name],
      onChange: (value) => set(name, value),
      error: fieldErrors[name],
    }),
    changed: changedNames.length > 0,
    busy,
    error,
    onSubmit: (event) => {
      event?.preventDefault();
      void run();
    },
    reset: () => {
      setValues(start);
      setError(null);
      setFieldErrors({});
    },
  };
}

function pick<V extends Values>(values: V, names: readonly (keyof V & string)[]): Partial<V> {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as Partial<V>;
}

/** The error messages by field; empty if the error is also about something else. */
export function errorsOfFields(
  failure: unknown,
  values: Values,
  fieldOfError: Partial<Record<string, string>>,
): FieldErrors {
  if (!(failure instanceof FanfareError)) return {};
  if (failure.type === "VALIDATION_FAILED") {
    const { issues = [] } = (failure.data ?? {}) as { issues?: { path: string; message: string }[] };
    const found = issues.map(({ path, message }) => [path.split(".")[0]!, issueText(message)] as const);
    return found.every(([name]) => name in values) ? Object.fromEntries(found) : {};
  }
  const name = fieldOfError[failure.type];
  return name === undefined ? {} : { [name]: errorText(failure) };
}

export interface FormProps {
  // oxlint-disable-next-line typescript/no-explicit-any -- accepts forms of any type
  form: Pick<FormState<any>, "onSubmit" | "error" | "busy">;
  action: string;
  /** Next to the button, such as "Cancel". */
  more?: ReactNode;
  /** Makes the button as wide as the fields. */
  wide?: boolean;
  /** For irreversible actions. */
  danger?: boolean;
  disabled?: boolean;
  children: ReactNode;
}

/** Fields, errors and the submit button of a `useForm`. */
export function Form({
  form,
  action,
  more,
  wide = false,
  disabled = false,
  danger = false,
  children,
}: FormProps) {
  return (
    <form onSubmit={form.onSubmit} className="grid content-start gap-4">
      {children}
      <ErrorNote text={form.error} />
      <div className={cx("flex flex-wrap gap-2", !wide && "justify-end")}>
        {more}
        <Button
          type="submit"
          variant={danger ? "danger" : "primary"}
          busy={form.busy}
          disabled={disabled}
          wide={wide}
        >
          {action}
        </Button>
      </div>
    </form>
  );
}
