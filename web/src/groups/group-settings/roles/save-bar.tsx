import { useTranslation } from "react-i18next";
import { Button } from "../../../ui/button.tsx";
import { ErrorNote } from "../../../ui/feedback.tsx";
import type { FormState } from "../../../ui/use-form.ts";

interface SaveBarProps {
  // oxlint-disable-next-line typescript/no-explicit-any -- a form of any values
  form: Pick<FormState<any>, "changed" | "busy" | "error" | "onSubmit" | "reset">;
  disabled?: boolean;
}

/** Stays in sight at the end of a long form while something is not saved. */
export function SaveBar({ form, disabled = false }: SaveBarProps) {
  const { t } = useTranslation("group-settings");
  if (!form.changed) return null;
  return (
    <div className="sticky bottom-3 z-10 grid gap-2 rounded-lg border border-line bg-raised p-3 shadow-raised">
      <ErrorNote text={form.error} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="flex-1 px-1 text-sm">{t("unsaved")}</p>
        <Button size="sm" onClick={() => form.reset()}>
          {t("discard")}
        </Button>
        <Button
          size="sm"
          variant="primary"
          busy={form.busy}
          disabled={disabled}
          onClick={() => form.onSubmit()}
        >
          {t("save")}
        </Button>
      </div>
    </div>
  );
}
