import { useEffect, useState } from "react";
import { errorText } from "../../shared/error-text.ts";
import { Link } from "../../shared/link.tsx";
import { channelPath, groupPath, navigate } from "../../shared/route.ts";
import { useClient } from "../session/client-context.ts";
import "../session/landing.css";

/** Joins the group of an invite and goes there. Accepting twice changes nothing, so that needs no care. */
export function InvitePage({ code }: { code: string }) {
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
    <main className="landing">
      <h1>Invite</h1>
      <p role="status">{error ?? "Joining …"}</p>
      {error !== null && <Link href="/">To your groups</Link>}
    </main>
  );
}
