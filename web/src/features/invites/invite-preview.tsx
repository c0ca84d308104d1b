import type { FanfareClient } from "@fanfare/client";
import { useEffect, useState } from "react";
import { errorText } from "../../shared/error-text.ts";

/** What an invite leads to; needs no login. */
export function InvitePreview({ client, code }: { client: FanfareClient; code: string }) {
  const [text, setText] = useState("You are invited …");
  useEffect(() => {
    let shown = true;
    client.call("invite.preview", { code }).then(
      ({ group }) => shown && setText(`You are invited to ${group.name} (${members(group.memberCount)}).`),
      (error: unknown) => shown && setText(errorText(error)),
    );
    return () => {
      shown = false;
    };
  }, [client, code]);
  return (
    <p className="invite-preview" role="status">
      {text}
    </p>
  );
}

function members(count: number): string {
  return count === 1 ? "1 member" : `${count} members`;
}
