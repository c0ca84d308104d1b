import { FanfareError } from "@fanfare/client";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../shared/error-text.ts";
import { Form } from "../../ui/form.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { useForm } from "../../ui/use-form.ts";
import { CodeField } from "./code-field.tsx";
import type { OidcReturn } from "./oidc.ts";
import { useServerMeta } from "./server-meta.ts";
import { logIn } from "./session-store.ts";
import { wantedInvite } from "./wanted-place.ts";

interface OidcReturnProps {
  back: Extract<OidcReturn, { oidcCode: string }>;
  /** What went wrong, for people. */
  onFailure: (text: string) => void;
}

/** Somebody comes back from the provider: logs them in, and asks for the code where their account wants one. */
export function OidcLogin({ back: { trip, oidcCode }, onFailure }: OidcReturnProps) {
  const { t } = useTranslation("session");
  const [needsCode, setNeedsCode] = useState(false);
  const begun = useRef(false);
  const meta = useServerMeta();
  const inviteCode = meta?.registration === "invite" ? wantedInvite() : undefined;
  const exchange = (code?: string) =>
    logIn(
      (client) =>
        client.call("user.exchangeOidcCode", {
          oidcCode,
          verifier: trip.verifier,
          ...(code !== undefined && { code }),
          ...(inviteCode !== undefined && { inviteCode }),
        }),
      { stay: trip.stay },
    );
  const form = useForm({
    initial: { code: "" },
    submit: ({ code }) => exchange(code.trim()),
    fieldOfError: { WRONG_CODE: "code" },
  });
  useEffect(() => {
    // It is good for one login.
    if (begun.current || meta === undefined) return;
    begun.current = true;
    exchange().catch((failure: unknown) => {
      const type = failure instanceof FanfareError ? failure.type : null;
      if (type === "TOTP_REQUIRED") setNeedsCode(true);
      else onFailure(type === "EMAIL_TAKEN" ? t("oidc.emailTaken") : errorText(failure));
    });
    // oxlint-disable-next-line react/exhaustive-deps -- once
  }, [meta]);
  if (!needsCode) return <Spinner label={t("oidc.busy")} className="mx-auto my-8 text-muted" />;
  return (
    <Form form={form} action={t("logIn")} wide>
      <CodeField {...form.field("code")} />
    </Form>
  );
}
