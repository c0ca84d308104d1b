import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { cx } from "./cx.ts";
import { ErrorNote } from "./feedback.tsx";
import type { FormState } from "./use-form.ts";

interface FormProps {
  // oxlint-disable-next-line typescript/no-explicit-any -- a form of any values
  form: Pick<FormState<any>, "onSubmit" | "error" | "busy">;
  /** What the button says. */
  action: string;
  /** Beside the button, such as one that cancels. */
  more?: ReactNode;
  /** The button is as wide as the fields. */
  wide?: boolean;
  disabled?: boolean;
  children: ReactNode;
}

/** Fields, what went wrong, and the button: with `useForm`. */
export function Form({ form, action, more, wide = false, disabled = false, children }: FormProps) {
  return (
    <form onSubmit={form.onSubmit} className="grid content-start gap-4">
      {children}
      <ErrorNote text={form.error} />
      <div className={cx("flex flex-wrap gap-2", !wide && "justify-end")}>
        {more}
        <Button type="submit" variant="primary" busy={form.busy} disabled={disabled} wide={wide}>
          {action}
        </Button>
      </div>
    </form>
  );
}
