import { FanfareError } from "@fanfare/client";
import { type FormEvent, useState } from "react";
import { errorText, issueText } from "../shared/use-action.ts";

type Values = Record<string, unknown>;

export interface FormOptions<V extends Values> {
  initial: V;
  /** Does it; what it throws is shown at the field that it is about, else below the fields. */
  submit: (values: V) => Promise<unknown>;
  /** Which field an error of the server is about, by code; those of VALIDATION_FAILED name it themselves. */
  fieldOfError?: Partial<Record<string, keyof V & string>>;
}

export interface FormState<V extends Values> {
  values: V;
  set: <K extends keyof V>(name: K, value: V[K]) => void;
  /** What a TextField, TextArea or Select needs: value, onChange, error. */
  field: <K extends keyof V & string>(
    name: K,
  ) => { value: V[K]; onChange: (value: V[K]) => void; error: string | undefined };
  /** Whether something differs from what it began with. */
  changed: boolean;
  busy: boolean;
  /** What failed and is about no single field. */
  error: string | null;
  onSubmit: (event?: FormEvent) => void;
  /** Begins anew, with these values or those it began with. */
  reset: (values?: V) => void;
}

type FieldErrors = Record<string, string>;

/** The state of a form: its values, what runs, and what went wrong where. */
export function useForm<V extends Values>({ initial, submit, fieldOfError }: FormOptions<V>): FormState<V> {
  const [start, setStart] = useState(initial);
  const [values, setValues] = useState(initial);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [fieldErrors, setFieldErrors] = useState<FieldErrors>({});

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
      setStart(values);
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
    changed: Object.keys(values).some((name) => values[name] !== start[name]),
    busy,
    error,
    onSubmit: (event) => {
      event?.preventDefault();
      void run();
    },
    reset: (next = start) => {
      setStart(next);
      setValues(next);
      setError(null);
      setFieldErrors({});
    },
  };
}

/** Which fields an error is about, each with what to do; none when it is about something else as well. */
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
