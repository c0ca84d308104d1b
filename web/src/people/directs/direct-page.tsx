import { FanfareError } from "@fanfare/client";
import { MessagesSquare } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useChannelState } from "../../data/groups.ts";
import { useServerCache } from "../../data/data-context.ts";
import { useMe } from "../../data/me.ts";
import { directPath } from "../../routes.ts";
import { rememberPlace } from "../../state/last-channel.ts";
import { buttonClass } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/feedback.tsx";
import { PageHeader, PagePending } from "../../app/shell/page-header.tsx";
import { Conversation } from "./conversation.tsx";

export function DirectPage({ channelId }: { channelId: string }) {
  const me = useMe();
  const query = useChannelState(channelId);
  const { data: channel, error } = query;
  const hasLeft = useHasLeft(channelId);
  const isGone = hasLeft || (error instanceof FanfareError && error.type === "CHANNEL_NOT_FOUND");
  const isThere = !isGone && channel !== undefined && channel.memberIds.includes(me.id);
  useEffect(() => {
    if (isThere) rememberPlace(me.id, directPath(channelId), null, channelId);
  }, [isThere, me.id, channelId]);
  if (isThere) return <Conversation key={channelId} channel={channel} />;
  if (isGone || channel !== undefined) return <NotFound />;
  return (
    <>
      {error !== null && <PageHeader />}
      <PagePending of={query} />
    </>
  );
}

function NotFound() {
  const { t } = useTranslation("directs");
  return (
    <>
      <PageHeader title={t("notFound")} />
      <EmptyState
        icon={MessagesSquare}
        title={t("notFound")}
        text={t("notFoundText")}
        action={
          <Link href={directPath()} className={buttonClass({ variant: "primary" })}>
            {t("toFriends")}
          </Link>
        }
      />
    </>
  );
}

/** Whether the user left, was removed or the conversation was deleted while it was open. */
function useHasLeft(channelId: string): boolean {
  const { client } = useServerCache();
  const [outOf, setOutOf] = useState<string | null>(null);
  useEffect(() => {
    const ends = [
      client.on("channel.deleted", (gone) => gone.channelId === channelId && setOutOf(channelId)),
      client.on("channel.created", ({ channel }) => channel.id === channelId && setOutOf(null)),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [client, channelId]);
  return outOf === channelId;
}
