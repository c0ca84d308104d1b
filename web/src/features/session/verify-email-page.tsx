import { CircleCheck, Link2Off, MailQuestionMark } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { landingPath, loginPath, settingsPath } from "../../routes.ts";
import { errorText } from "../../shared/error-text.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { anonymous } from "./anonymous.ts";
import { Entrance } from "./entrance.tsx";
import { Outcome } from "./outcome.tsx";
import { useFragmentToken } from "./use-fragment-token.ts";

type State = { is: "busy" } | { is: "done" } | { is: "failed"; text: string };

/** Each link is opened once, however often the page is drawn. */
const opened = new Map<string, Promise<unknown>>();

interface VerifyEmailPageProps {
  isLoggedIn: boolean;
}

/** What the link of a mail leads to that asks whether an address is right; whether somebody is logged in or not. */
export function VerifyEmailPage({ isLoggedIn }: VerifyEmailPageProps) {
  const { t } = useTranslation("session");
  const [token] = useFragmentToken();
  return (
    <Entrance>
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
    </Entrance>
  );
}

function Verification({ token, isLoggedIn }: VerifyEmailPageProps & { token: string }) {
  const { t } = useTranslation("session");
  const [state, setState] = useState<State>({ is: "busy" });
  useEffect(() => {
    let shown = true;
    if (!opened.has(token)) opened.set(token, anonymous.call("user.verifyEmail", { token }));
    opened.get(token)!.then(
      () => shown && setState({ is: "done" }),
      (failure: unknown) => shown && setState({ is: "failed", text: errorText(failure) }),
    );
    return () => {
      shown = false;
    };
  }, [token]);
  const onwards = (
    <Link
      href={isLoggedIn ? landingPath() : loginPath()}
      className={buttonClass({ variant: "primary", wide: true })}
    >
      {isLoggedIn ? t("goOn") : t("logIn")}
    </Link>
  );
  if (state.is === "busy") return <Spinner label={t("verify.busy")} className="mx-auto text-muted" />;
  if (state.is === "done") {
    return (
      <Outcome icon={CircleCheck} title={t("verify.done")} text={t("verify.doneText")}>
        {onwards}
      </Outcome>
    );
  }
  return (
    <Outcome icon={Link2Off} tone="danger" title={t("badLink")} text={state.text}>
      <SendAgain />
      {onwards}
    </Outcome>
  );
}

function SendAgain() {
  const { t } = useTranslation("session");
  return (
    <Link href={settingsPath("account")} className={buttonClass({ wide: true })}>
      {t("verify.again")}
    </Link>
  );
}
