import { CircleCheck, Link2Off, MailQuestionMark } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { landingPath, loginPath, settingsPath } from "../routes.ts";
import { errorText } from "../shared/use-action.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Spinner } from "../ui/feedback.tsx";
import { useBranding } from "./branding.ts";
import { anonymous } from "./oidc.tsx";
import { LoginLayout, Outcome, useFragmentToken } from "./login-layout.tsx";

type State =
  | { is: "busy" }
  | { is: "asking"; username: string | null; email: string }
  | { is: "done" }
  | { is: "failed"; text: string };

const failed = (failure: unknown): State => ({ is: "failed", text: errorText(failure) });

interface VerifyEmailPageProps {
  isLoggedIn: boolean;
}

/** The link of a verification email, with or without a login. Asks whether the account is the reader's before using the link. */
export function VerifyEmailPage({ isLoggedIn }: VerifyEmailPageProps) {
  const { t } = useTranslation("session");
  const [token] = useFragmentToken();
  return (
    <LoginLayout>
      {token === null ? (
        <Outcome
          icon={MailQuestionMark}
          tone="danger"
          title={t("verify.noLink")}
          text={t("verify.noLinkText")}
        >
          <SendAgain />
        </Outcome>
      ) : (
        <Verification key={token} token={token} isLoggedIn={isLoggedIn} />
      )}
    </LoginLayout>
  );
}

function Verification({ token, isLoggedIn }: VerifyEmailPageProps & { token: string }) {
  const { t } = useTranslation("session");
  const { name } = useBranding();
  const [state, setState] = useState<State>({ is: "busy" });
  useEffect(() => {
    let shown = true;
    anonymous.call("user.inspectEmailVerification", { token }).then(
      (account) => shown && setState({ is: "asking", ...account }),
      (failure: unknown) => shown && setState(failed(failure)),
    );
    return () => {
      shown = false;
    };
  }, [token]);
  const verify = () => {
    setState({ is: "busy" });
    anonymous.call("user.verifyEmail", { token }).then(
      () => setState({ is: "done" }),
      (failure: unknown) => setState(failed(failure)),
    );
  };
  const onwards = (
    <Link
      href={isLoggedIn ? landingPath() : loginPath()}
      className={buttonClass({ variant: "primary", wide: true })}
    >
      {isLoggedIn ? t("continue", { name }) : t("logIn")}
    </Link>
  );
  if (state.is === "busy") return <Spinner label={t("verify.busy")} className="mx-auto text-muted" />;
  if (state.is === "asking") {
    const { username, email } = state;
    const text =
      username === null
        ? t("verify.confirmTextUnnamed", { email })
        : t("verify.confirmText", { username, email });
    return (
      <Outcome icon={MailQuestionMark} title={t("verify.confirmTitle")} text={text}>
        <Button variant="primary" wide onClick={verify}>
          {t("verify.confirm")}
        </Button>
      </Outcome>
    );
  }
  if (state.is === "done") {
    return (
      <Outcome icon={CircleCheck} title={t("verify.done")} text={t("verify.doneText")}>
        {onwards}
      </Outcome>
    );
  }
  return (
    <Outcome icon={Link2Off} tone="danger" title={t("invalidLink")} text={state.text}>
      <SendAgain />
      {onwards}
    </Outcome>
  );
}

function SendAgain() {
  const { t } = useTranslation("session");
  return (
    <Link href={settingsPath("account")} className={buttonClass({ wide: true })}>
      {t("verify.requestAgain")}
    </Link>
  );
}
