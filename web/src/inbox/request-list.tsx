import type { FriendRequest } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useCall } from "../data/call.ts";
import { useFriendRequests, useUser } from "../data/people.ts";
import { useMe } from "../data/me.ts";
import { useAction } from "../shared/use-action.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/feedback.tsx";
import { ListRow } from "../ui/list-row.tsx";
import { useName } from "../people/members/use-name.ts";

/** Who asks to be a friend; nothing where nobody does. */
export function RequestList() {
  const { t } = useTranslation("inbox");
  const isAccount = useMe().kind === "member";
  const { data = [] } = useFriendRequests({ enabled: isAccount });
  const incoming = data.filter(({ direction }) => direction === "incoming");
  if (incoming.length === 0) return null;
  return (
    <section aria-label={t("requests")} className="grid gap-1 rounded-lg border border-line p-2">
      <h2 className="px-2 pt-1 text-sm font-semibold text-muted">{t("requests")}</h2>
      <ul>
        {incoming.map((request) => (
          <li key={request.userId}>
            <RequestRow request={request} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function RequestRow({ request: { userId } }: { request: FriendRequest }) {
  const { t } = useTranslation("inbox");
  const call = useCall();
  const { busy, error, run } = useAction();
  const user = useUser(userId);
  const name = useName(user);
  return (
    <>
      <ListRow
        leading={<Avatar name={name} id={userId} src={user?.avatarUrl} size={36} />}
        title={name}
        subtitle={user?.username ?? undefined}
        trailing={
          <>
            <Button
              size="sm"
              variant="primary"
              busy={busy}
              onClick={() => void run(() => call("friend.accept", { userId }))}
            >
              {t("accept")}
            </Button>
            <Button
              size="sm"
              variant="ghost"
              disabled={busy}
              onClick={() => void run(() => call("friend.decline", { userId }))}
            >
              {t("decline")}
            </Button>
          </>
        }
      />
      <ErrorNote text={error} />
    </>
  );
}
