import { FanfareError } from "@fanfare/client";
import { LIMITS } from "@fanfare/contract/limits";
import { CircleCheck, Link2Off } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../shared/error-text.ts";
import { Button } from "../../ui/button.tsx";
import { Form } from "../../ui/form.tsx";
import { useForm } from "../../ui/use-form.ts";
import { anonymous } from "./anonymous.ts";
import { EntranceTitle } from "./entrance-title.tsx";
import { Outcome } from "./outcome.tsx";
import { PasswordField } from "./password-field.tsx";

interface NewPasswordFormProps {
  token: string;
  onAskAgain: () => void;
}

/** Takes the new password of who has opened the mailed link. */
export function NewPasswordForm({ token, onAskAgain }: NewPasswordFormProps) {
  const { t } = useTranslation("session");
  const [isSet, setIsSet] = useState(false);
  const [linkError, setLinkError] = useState<string | null>(null);
  const form = useForm({
    initial: { newPassword: "" },
    async submit({ newPassword }) {
      try {
        await anonymous.call("user.resetPassword", { token, newPassword });
        setIsSet(true);
      } catch (failure) {
        if (!(failure instanceof FanfareError) || failure.type !== "INVALID_LINK") throw failure;
        setLinkError(errorText(failure));
      }
    },
  });
  if (isSet) return <Outcome icon={CircleCheck} title={t("reset.done")} text={t("reset.doneText")} />;
  if (linkError !== null) {
    return (
      <Outcome icon={Link2Off} tone="danger" title={t("badLink")} text={linkError}>
        <Button variant="primary" wide onClick={onAskAgain}>
          {t("reset.again")}
        </Button>
      </Outcome>
    );
  }
  return (
    <>
      <EntranceTitle title={t("reset.new")} text={t("reset.newText")} />
      <Form form={form} action={t("reset.set")} wide>
        <PasswordField
          label={t("reset.newPassword")}
          name="newPassword"
          autoFocus
          hint={t("passwordHint")}
          minLength={LIMITS.passwordMinChars}
          autoComplete="new-password"
          {...form.field("newPassword")}
        />
      </Form>
    </>
  );
}
