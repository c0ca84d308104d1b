import { FanfareError } from "@fanfare/client";
import type { Result } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { CircleCheck, Link2Off } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../shared/error-text.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
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

/** Sets a new password by a mailed link, and shows how else the account can be signed in to. */
export function NewPasswordForm({ token, onAskAgain }: NewPasswordFormProps) {
  const { t } = useTranslation("session");
  const [isSet, setIsSet] = useState(false);
  const [linkError, setLinkError] = useState<string | null>(null);
  const [account, setAccount] = useState<Result<"user.inspectPasswordReset"> | null>(null);
  const [removeOtherSignIns, setRemoveOtherSignIns] = useState(false);
  useEffect(() => {
    let shown = true;
    anonymous.call("user.inspectPasswordReset", { token }).then(
      (answer) => shown && setAccount(answer),
      // Any other failure may be over when the form is submitted, which does not need the answer.
      (failure: unknown) => {
        const isBad = failure instanceof FanfareError && failure.type === "INVALID_LINK";
        if (shown && isBad) setLinkError(errorText(failure));
      },
    );
    return () => {
      shown = false;
    };
  }, [token]);
  const form = useForm({
    initial: { newPassword: "" },
    async submit({ newPassword }) {
      try {
        await anonymous.call("user.resetPassword", { token, newPassword, removeOtherSignIns });
        setIsSet(true);
      } catch (failure) {
        if (!(failure instanceof FanfareError) || failure.type !== "INVALID_LINK") throw failure;
        setLinkError(errorText(failure));
      }
    },
    fieldOfError: { WEAK_PASSWORD: "newPassword" },
  });
  if (isSet)
    return (
      <Outcome
        icon={CircleCheck}
        title={t("reset.done")}
        text={t(account?.isNew === true ? "reset.doneNewText" : "reset.doneText")}
      />
    );
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
      <EntranceTitle
        title={account?.username == null ? t("reset.new") : t("reset.newFor", { name: account.username })}
        text={account?.isNew === true ? undefined : t("reset.newText")}
      />
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
        {account?.isNew === false && account.removesAll && (
          <p className="text-sm text-muted">{t("reset.removesAll")}</p>
        )}
        {account?.isNew === false && !account.removesAll && (
          <Checkbox
            label={t("reset.removeOthers")}
            hint={
              account.oidcProvider === null
                ? t("reset.removeTokensText")
                : t("reset.removeOthersText", { provider: account.oidcProvider })
            }
            checked={removeOtherSignIns}
            onChange={setRemoveOtherSignIns}
          />
        )}
      </Form>
    </>
  );
}
