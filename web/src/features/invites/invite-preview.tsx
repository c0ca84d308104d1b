import type { FanfareClient } from "@fanfare/client";
import type { Result } from "@fanfare/contract";
import { useEffect, useState } from "react";
import { errorText } from "../../shared/error-text.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { InvitedGroup } from "./invited-group.tsx";
import { meanToJoin } from "./meant-invite.ts";

/** What an invite leads to; needs no login. Who logs in from here has decided to join. */
export function InvitePreview({ client, code }: { client: FanfareClient; code: string }) {
  const [group, setGroup] = useState<Result<"invite.preview">["group"] | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    let shown = true;
    client.call("invite.preview", { code }).then(
      (preview) => shown && setGroup(preview.group),
      (failure: unknown) => shown && setError(errorText(failure)),
    );
    return () => {
      shown = false;
    };
  }, [client, code]);
  const isGood = group !== null;
  useEffect(() => {
    if (isGood) meanToJoin(code);
  }, [isGood, code]);
  if (error !== null) return <ErrorNote text={error} />;
  return (
    <div className="rounded-lg bg-accent-soft p-5" role="status">
      <InvitedGroup group={group} />
    </div>
  );
}
