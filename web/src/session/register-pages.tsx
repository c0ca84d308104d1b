import { LIMITS } from "@fanfare/contract/limits";
import { MailCheck, Link2Off, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { FanfareClient } from "@fanfare/client";
import { useLocation } from "wouter";
import { isJoining } from "../groups/invites/invited-group.tsx";
import { mailLanguage } from "../i18n/language.ts";
import { loginPath, adminPath } from "../routes.ts";
import { Form, TextField, useForm } from "../ui/form.tsx";
import { ACCOUNT_ERRORS, AccountFields, accountOf, UsernameAndPassword } from "./account-fields.tsx";
import { LoginLayout, LoginLink, ToLogin, LoginTitle, Outcome, useFragmentToken } from "./login-layout.tsx";
import { OidcButtons } from "./oidc.tsx";
import { useServerMeta, useLoginOptions } from "./server-meta.ts";
import { logIn } from "./session-store.ts";
import { requestedInvite } from "./requested-path.ts";
import { isErrorOf, useAction } from "../shared/use-action.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/feedback.tsx";

/** Creates an account, if the server allows it or the user was invited. */
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

/** The setup link of a new server: creates the admin account, or makes the logged-in account an admin. */
export function SetupPage({ client }: { client: FanfareClient | null }) {
  const { t } = useTranslation("session");
  const [token] = useFragmentToken();
  const ways = useLoginOptions();
  const isMember = client?.user?.kind === "member";
  if (token === null) {
    return (
      <LoginLayout>
        <Outcome icon={Link2Off} tone="danger" title={t("verify.noLink")} text={t("setup.noLinkText")} />
      </LoginLayout>
    );
  }
  return (
    <LoginLayout>
      {isMember ? (
        <BecomeAdmin client={client} token={token} />
      ) : ways?.password === false ? (
        <>
          <LoginTitle title={t("setup.title")} text={t("setup.oidcFirst")} />
          <OidcButtons stay isOnly />
        </>
      ) : (
        <CreateAdmin guest={client} token={token} />
      )}
    </LoginLayout>
  );
}

function CreateAdmin({ guest, token }: { guest: FanfareClient | null; token: string }) {
  const { t, i18n } = useTranslation("session");
  const [, navigate] = useLocation();
  const form = useForm({
    initial: { username: "", password: "" },
    async submit({ username, password }) {
      const locale = mailLanguage(i18n.language);
      await logIn((client) =>
        client.call("user.setUpAdmin", { token, username: username.trim(), password, locale }),
      );
      guest?.close();
      navigate(adminPath(), { replace: true });
    },
    fieldOfError: { USERNAME_TAKEN: "username", WEAK_PASSWORD: "password" },
  });
  return (
    <>
      <LoginTitle title={t("setup.title")} text={t("setup.text")} />
      <Form form={form} action={t("setup.create")} wide>
        <UsernameAndPassword form={form} />
      </Form>
    </>
  );
}

function BecomeAdmin({ client, token }: { client: FanfareClient; token: string }) {
  const { t } = useTranslation("session");
  const [, navigate] = useLocation();
  const { busy, error, run } = useAction();
  const become = async () => {
    await client.call("user.becomeAdmin", { token });
    navigate(adminPath(), { replace: true });
  };
  const name = client.user?.username ?? client.user?.nickname;
  return (
    <Outcome icon={ShieldCheck} title={t("setup.title")} text={t("setup.becomeText", { name })}>
      <ErrorNote text={error} />
      <Button variant="primary" wide busy={busy} onClick={() => void run(become)}>
        {t("setup.become")}
      </Button>
    </Outcome>
  );
}
