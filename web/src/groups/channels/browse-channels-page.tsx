import type { ChannelState } from "@fanfare/contract";
import { Hash, SearchX } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { NotFound } from "../../app/home/home-pages.tsx";
import { PageBody, PageHeader, PagePending } from "../../app/shell/page-header.tsx";
import { channelsInOrder, useChannels, useGroup, useGroups } from "../../data/groups.ts";
import { channelPath } from "../../routes.ts";
import { useAction } from "../../shared/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState, ErrorNote } from "../../ui/feedback.tsx";
import { FilterField } from "../../ui/form.tsx";
import { useListing } from "./channel-marks.ts";
import { ChannelIcon } from "./channel-row.tsx";
import { dotted } from "../../shared/formats.ts";

/** All channels that the user can see in a group, to find, join and leave them. */
export function BrowseChannelsPage({ groupId }: { groupId: string }) {
  const { t } = useTranslation("channels");
  const { data: groups } = useGroups();
  const group = useGroup(groupId);
  const query = useChannels(groupId, { enabled: group !== undefined });
  const [text, setText] = useState("");
  const { data: channels } = query;
  if (groups !== undefined && group === undefined) return <NotFound what="group" />;
  if (channels === undefined || group === undefined) return <PagePending of={query} />;
  const wanted = text.trim().toLowerCase();
  const found = channelsInOrder(channels).filter(({ name, topic }) =>
    [name, topic].some((part) => part.toLowerCase().includes(wanted)),
  );
  return (
    <>
      <PageHeader icon={Hash} title={t("browse.title")} subtitle={group.name} />
      <PageBody>
        <p className="text-sm text-muted">{t("browse.hint")}</p>
        <FilterField label={t("browse.search")} value={text} onChange={setText} />
        <p role="status" className="text-sm text-muted">
          {t("browse.found", { count: found.length })}
        </p>
        {found.length === 0 ? (
          <EmptyState icon={SearchX} title={t("browse.none")} text={t("browse.noneText")} />
        ) : (
          <ul aria-label={t("browse.title")} className="grid gap-px">
            {found.map((channel) => (
              <ChannelEntry key={channel.id} channel={channel} />
            ))}
          </ul>
        )}
      </PageBody>
    </>
  );
}

function ChannelEntry({ channel }: { channel: ChannelState }) {
  const { t } = useTranslation("channels");
  const { id, groupId, name, topic, head } = channel;
  const { kind, isListed, icon, leave, join } = useListing(channel);
  const { busy, error, run } = useAction();
  return (
    <li>
      <div className="flex items-center gap-2 rounded-md pe-1 hover:bg-hover">
        <Link
          href={channelPath(groupId!, id)}
          className="flex min-h-row min-w-0 flex-1 items-center gap-3 rounded-md px-2 py-1.5 -outline-offset-2"
        >
          <ChannelIcon channel={channel} className="shrink-0 opacity-80" />
          <span className="grid min-w-0 flex-1">
            <span className="truncate font-medium">{name}</span>
            <span className="truncate text-sm text-muted">
              {dotted([t("browse.messages", { count: head.seq }), topic])}
            </span>
          </span>
        </Link>
        <Button
          size="sm"
          icon={icon}
          busy={busy}
          aria-label={t(`leave.${kind}.${isListed ? "actionNamed" : "undoNamed"}`, { name })}
          onClick={() => void run(isListed ? leave : join)}
        >
          {t(`leave.${kind}.${isListed ? "actionShort" : "undoShort"}`)}
        </Button>
      </div>
      <ErrorNote text={error} />
    </li>
  );
}
