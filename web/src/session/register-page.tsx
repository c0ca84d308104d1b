import { LIMITS } from "@fanfare/contract/limits";
import { MailCheck } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { isJoining } from "../groups/invites/invited-group.tsx";
import { mailLanguage } from "../i18n/language.ts";
import { loginPath } from "../routes.ts";
import { Form, TextField, useForm } from "../ui/form.tsx";
import { ACCOUNT_ERRORS, AccountFields, accountOf } from "./account-fields.tsx";
import { LoginLayout, LoginLink, ToLogin, LoginTitle, Outcome } from "./login-layout.tsx";
import { OidcButtons } from "./oidc.tsx";
import { useServerMeta, useLoginOptions } from "./server-meta.ts";
import { logIn } from "./session-store.ts";
import { requestedInvite } from "./requested-path.ts";
import { isErrorOf } from "../shared/use-action.ts";

export function RegisterPage() {
  const { t, i18n } = useTranslation("session");
  const ways = useLoginOptions();
  const requested = requestedInvite();
  const isEmailed = requested?.token !== undefined && isJoining(requested.code);
  const invite = ways?.needsInvite === true || isEmailed ? requested : undefined;
  /** The address that must be verified before the first login. */
  const [sentTo, setSentTo] = useState<string | null>(null);
  const form = useForm({
    initial: { username: "", password: "", email: requested?.email ?? "", nickname: "" },
    submit({ nickname, ...account }) {
      const name = nickname.trim();
      const params = {
        ...accountOf(account),
        ...(name !== "" && { nickname: name }),
        locale: mailLanguage(i18n.language),
      };
      return logIn((client) =>
        client
          .register({
            ...params,
            ...(invite !== undefined && { inviteCode: invite.code }),
            ...(invite?.token !== undefined && { inviteToken: invite.token }),
          })
          .catch((failure: unknown) => {
            const isGone = isErrorOf(failure, "INVITE_NOT_FOUND");
            // For example, the inviter's account was deleted. The invite's page says so after the login.
            if (!isGone || ways?.needsInvite !== false) throw failure;
            return client.register(params);
          }),
      ).catch((failure: unknown) => {
        if (!isErrorOf(failure, "EMAIL_NOT_VERIFIED")) throw failure;
        setSentTo(account.email.trim());
      });
    },
    fieldOfError: ACCOUNT_ERRORS,
  });
  if (sentTo !== null) {
    return (
      <LoginLayout>
        <Outcome icon={MailCheck} title={t("reset.sent")} text={t("confirm.text", { email: sentTo })} />
      </LoginLayout>
    );
  }
  if (ways?.register === false) return <NoRegistration reason="closed" />;
  if (ways?.needsInvite === true && invite === undefined) return <NoRegistration reason="byInvite" />;
  return (
    <LoginLayout>
      <LoginTitle title={t("newAccount")} />
      <Form form={form} action={t("register")} wide>
        <AccountFields form={form} />
        <TextField
          label={t("nickname")}
          name="nickname"
          hint={t("nicknameHint")}
          maxLength={LIMITS.nicknameMaxChars}
          autoComplete="nickname"
          {...form.field("nickname")}
        />
      </Form>
      <OidcButtons stay />
      <p className="text-center text-sm text-muted">
        {t("haveAccount")} <LoginLink href={loginPath()}>{t("logIn")}</LoginLink>
      </p>
    </LoginLayout>
  );
}

function NoRegistration({ reason }: { reason: "closed" | "byInvite" }) {
  const { t } = useTranslation("session");
  const byOidc = useServerMeta()?.passwordLogin === false;
  return (
    <LoginLayout>
      <LoginTitle
        title={byOidc ? t("logIn") : t(`${reason}.title`)}
        text={byOidc ? undefined : t(`${reason}.text`)}
      />
      {byOidc ? <OidcButtons stay isOnly /> : <ToLogin />}
    </LoginLayout>
  );
}
