import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { loginPath } from "../../routes.ts";
import { Entrance } from "./entrance.tsx";
import { ENTRANCE_LINK } from "./entrance-title.tsx";
import { NewPasswordForm } from "./new-password-form.tsx";
import { RequestResetForm } from "./request-reset-form.tsx";
import { useFragmentToken } from "./use-fragment-token.ts";

/** For who has forgotten the password: asks for the mail; with its link, takes a new password. */
export function ResetPasswordPage() {
  const { t } = useTranslation("session");
  const [token, forget] = useFragmentToken();
  return (
    <Entrance>
      {token === null ? (
        <RequestResetForm />
      ) : (
        <NewPasswordForm key={token} token={token} onAskAgain={forget} />
      )}
      <p className="text-center text-sm">
        <Link href={loginPath()} className={ENTRANCE_LINK}>
          {t("toLogin")}
        </Link>
      </p>
    </Entrance>
  );
}
