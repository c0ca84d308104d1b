import type { FanfareClient } from "@fanfare/client";
import { Link2Off, ShieldCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { mailLanguage } from "../i18n/language.ts";
import { adminPath } from "../routes.ts";
import { useAction } from "../shared/use-action.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/feedback.tsx";
import { Form, useForm } from "../ui/form.tsx";
import { UsernameAndPassword } from "./account-fields.tsx";
import { LoginLayout, LoginTitle, Outcome, useFragmentToken } from "./login-layout.tsx";
import { OidcButtons } from "./oidc.tsx";
import { useLoginOptions } from "./server-meta.ts";
import { logIn } from "./session-store.ts";

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
