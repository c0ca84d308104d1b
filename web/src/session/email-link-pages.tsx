import { CircleCheck, Link2Off, MailQuestionMark, MailX } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { landingPath, loginPath, settingsPath } from "../routes.ts";
import { errorText, useAction, isErrorOf } from "../shared/use-action.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Spinner, ErrorNote } from "../ui/feedback.tsx";
import { useBranding } from "./branding.ts";
import { anonymous } from "./oidc.tsx";
import { LoginLayout, Outcome, useFragmentToken } from "./login-layout.tsx";

type State =
  | { is: "busy" }
  | { is: "asking"; username: string | null; email: string }
  | { is: "done" }
  | { is: "failed"; text: string };

const failed = (failure: unknown): State => ({ is: "failed", text: errorText(failure) });

interface EmailLinkPageProps {
  isLoggedIn: boolean;
}

/** The link of a verification email, with or without a login. Asks whether the account is the reader's before using the link. */
export function VerifyEmailPage({ isLoggedIn }: EmailLinkPageProps) {
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

function Verification({ token, isLoggedIn }: EmailLinkPageProps & { token: string }) {
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

/** The link in emails about missed messages, with or without a login. Mail scanners open it too, so it asks first. */
export function UnsubscribePage({ isLoggedIn }: EmailLinkPageProps) {
  const token = new URLSearchParams(location.search).get("token");
  return (
    <LoginLayout>
      <Unsubscribing token={token} isLoggedIn={isLoggedIn} />
    </LoginLayout>
  );
}

function Unsubscribing({ token, isLoggedIn }: EmailLinkPageProps & { token: string | null }) {
  const { t } = useTranslation("session");
  const { name } = useBranding();
  const { busy, error, run } = useAction();
  const [result, setResult] = useState<"done" | "invalid" | null>(null);
  if (token === null || result === "invalid") {
    return <Outcome icon={Link2Off} tone="danger" title={t("invalidLink")} text={t("verify.noLinkText")} />;
  }
  if (result === "done") {
    return (
      <Outcome
        icon={CircleCheck}
        title={t("settings:unsubscribe.done")}
        text={t("settings:unsubscribe.doneText")}
      >
        <Link
          href={isLoggedIn ? settingsPath("notifications") : loginPath()}
          className={buttonClass({ wide: true })}
        >
          {isLoggedIn ? t("continue", { name }) : t("logIn")}
        </Link>
      </Outcome>
    );
  }
  const turnOff = async () => {
    try {
      await anonymous.call("notification.unsubscribe", { token });
      setResult("done");
    } catch (failure) {
      if (!isErrorOf(failure, "INVALID_LINK")) throw failure;
      setResult("invalid");
    }
  };
  return (
    <Outcome icon={MailX} title={t("settings:unsubscribe.title")} text={t("settings:unsubscribe.text")}>
      <Button variant="primary" wide busy={busy} onClick={() => void run(turnOff)}>
        {t("settings:unsubscribe.action")}
      </Button>
      <ErrorNote text={error} />
    </Outcome>
  );
}
