import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../shared/error-text.ts";
import { Link, useLocation } from "wouter";
import { useCall } from "../../data/call.ts";
import { channelPath, groupPath } from "../../routes.ts";
import { buttonClass } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Spinner } from "../../ui/spinner.tsx";

/** Joins the group of an invite and goes there. Accepting twice changes nothing, so that needs no care. */
export function InvitePage({ code }: { code: string }) {
  const { t } = useTranslation("invites");
  const call = useCall();
  const [, navigate] = useLocation();
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    let shown = true;
    const join = async () => {
      const { group, channels } = await call("invite.accept", { code });
      if (!shown) return;
      const first = channels[0];
      const path = first === undefined ? groupPath(group.id) : channelPath(group.id, first.id);
      navigate(path, { replace: true });
    };
    join().catch((failure: unknown) => shown && setError(errorText(failure)));
    return () => {
      shown = false;
    };
  }, [call, navigate, code]);
  return (
    <main id="main" className="flex min-h-dvh">
      {error === null ? (
        <p role="status" className="m-auto flex items-center gap-3 text-muted">
          <Spinner />
          {t("joining")}
        </p>
      ) : (
        <EmptyState
          isPage
          title={t("cannotJoin")}
          text={<span role="status">{error}</span>}
          action={
            <Link href="/" className={buttonClass({ variant: "primary" })}>
              {t("toYourGroups")}
            </Link>
          }
        />
      )}
    </main>
  );
}
