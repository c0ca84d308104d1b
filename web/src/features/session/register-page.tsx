import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import type { Language } from "../../i18n/language.ts";
import { loginPath } from "../../routes.ts";
import { Form } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useForm } from "../../ui/use-form.ts";
import { ACCOUNT_ERRORS, AccountFields, accountOf } from "./account-fields.tsx";
import { Entrance } from "./entrance.tsx";
import { ENTRANCE_LINK, EntranceTitle } from "./entrance-title.tsx";
import { OidcButton } from "./oidc-button.tsx";
import { logIn } from "./session-store.ts";

/** To make an account, which is logged in at once. */
export function RegisterPage() {
  const { t, i18n } = useTranslation("session");
  const form = useForm({
    initial: { username: "", password: "", email: "", nickname: "" },
    submit({ nickname, ...account }) {
      const name = nickname.trim();
      return logIn((client) =>
        client.register({
          ...accountOf(account),
          ...(name !== "" && { nickname: name }),
          locale: i18n.language as Language,
        }),
      );
    },
    fieldOfError: ACCOUNT_ERRORS,
  });
  return (
    <Entrance>
      <EntranceTitle title={t("newAccount")} />
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
      <OidcButton stay />
      <p className="text-center text-sm text-muted">
        {t("haveAccount")}{" "}
        <Link href={loginPath()} className={ENTRANCE_LINK}>
          {t("logIn")}
        </Link>
      </p>
    </Entrance>
  );
}
