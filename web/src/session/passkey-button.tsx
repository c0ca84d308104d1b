import { Fingerprint } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useAction } from "../shared/use-action.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/feedback.tsx";
import { OrLine } from "./oidc.tsx";
import { logIn } from "./session-store.ts";

/** The browser asks which account, and for the PIN or biometrics. */
export function PasskeyButton({ stay }: { stay: boolean }) {
  const { t } = useTranslation("session");
  const { busy, error, run } = useAction();
  const start = async () => {
    const { getPasskey } = await import("./passkeys.ts");
    await logIn(
      async (client) => {
        const { options } = await client.call("user.startPasskeyLogin", {});
        await client.call("user.loginWithPasskey", await getPasskey(options));
      },
      { stay },
    );
  };
  return (
    <>
      <OrLine>{t("or")}</OrLine>
      <Button wide busy={busy} icon={Fingerprint} onClick={() => void run(start)}>
        {t("passkey.logIn")}
      </Button>
      <ErrorNote text={error} />
    </>
  );
}
