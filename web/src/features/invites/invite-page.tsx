import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../shared/error-text.ts";
import { Link } from "../../shared/link.tsx";
import { channelPath, groupPath, navigate } from "../../shared/route.ts";
import { buttonClass } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { useClient } from "../session/client-context.ts";

/** Joins the group of an invite and goes there. Accepting twice changes nothing, so that needs no care. */
export function InvitePage({ code }: { code: string }) {
  const { t } = useTranslation("invites");
  const client = useClient();
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    let shown = true;
    const join = async () => {
      const { group, channels } = await client.call("invite.accept", { code });
      if (!shown) return;
      const first = channels[0];
      const path = first === undefined ? groupPath(group.id) : channelPath(group.id, first.id);
      navigate(path, { replace: true });
    };
    join().catch((failure: unknown) => shown && setError(errorText(failure)));
    return () => {
      shown = false;
    };
  }, [client, code]);
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
