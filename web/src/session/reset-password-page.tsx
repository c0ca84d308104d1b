import { LIMITS } from "@fanfare/contract/limits";
import { CircleCheck, Link2Off, MailCheck } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Result } from "@fanfare/contract";
import { Form, useForm } from "../ui/form.tsx";
import { errorText, isErrorOf } from "../shared/use-action.ts";
import { Button } from "../ui/button.tsx";
import { Checkbox } from "../ui/checkbox.tsx";
import { anonymous } from "./oidc.tsx";
import { ToLogin, LoginTitle, Outcome, LoginLayout, useFragmentToken } from "./login-layout.tsx";
import { useServerMeta } from "./server-meta.ts";
import { EmailField, PasswordField } from "./account-fields.tsx";

/** Requests a reset link; with a link, sets a new password. */
export function ResetPasswordPage() {
  const [token, forget] = useFragmentToken();
  return (
    <LoginLayout>
      {token === null ? (
        <RequestResetForm />
      ) : (
        <NewPasswordForm key={token} token={token} onAskAgain={forget} />
      )}
      <ToLogin />
    </LoginLayout>
  );
}

/** The response doesn't reveal whether the account exists. */
function RequestResetForm() {
  const { t } = useTranslation("session");
  const sendsMail = useServerMeta()?.sendsMail;
  const [sentTo, setSentTo] = useState<string | null>(null);
  const form = useForm({
    initial: { email: "" },
    async submit({ email }) {
      const address = email.trim();
      await anonymous.call("user.requestPasswordReset", { email: address });
      setSentTo(address);
    },
  });
  if (sentTo !== null) {
    return <Outcome icon={MailCheck} title={t("reset.sent")} text={t("reset.sentText", { email: sentTo })} />;
  }
  if (sendsMail === false) {
    return <LoginTitle title={t("reset.title")} text={t("reset.noMail")} />;
  }
  return (
    <>
      <LoginTitle title={t("reset.title")} text={t("reset.text")} />
      <Form form={form} action={t("reset.send")} wide>
        <EmailField label={t("reset.email")} required autoFocus {...form.field("email")} />
      </Form>
    </>
  );
}

/** Sets a new password and shows the other ways to log in to the account. */
function NewPasswordForm({ token, onAskAgain }: { token: string; onAskAgain: () => void }) {
  const { t } = useTranslation("session");
  const [isSet, setIsSet] = useState(false);
  const [linkError, setLinkError] = useState<string | null>(null);
  const [account, setAccount] = useState<Result<"user.inspectPasswordReset"> | null>(null);
  const [removeOtherSignIns, setRemoveOtherSignIns] = useState(false);
  useEffect(() => {
    let shown = true;
    anonymous.call("user.inspectPasswordReset", { token }).then(
      (response) => shown && setAccount(response),
      // Other failures can be temporary; submitting the form doesn't need this response.
      (failure: unknown) => {
        const isBad = isErrorOf(failure, "INVALID_LINK");
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
        if (!isErrorOf(failure, "INVALID_LINK")) throw failure;
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
      <Outcome icon={Link2Off} tone="danger" title={t("invalidLink")} text={linkError}>
        <Button variant="primary" wide onClick={onAskAgain}>
          {t("reset.requestAgain")}
        </Button>
      </Outcome>
    );
  }
  return (
    <>
      <LoginTitle
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
