import type { ChannelState } from "@fanfare/contract";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useSearch } from "wouter";
import { useIsBlocked } from "../../data/account.ts";
import { useCall } from "../../data/call.ts";
import { useUser } from "../../data/users.ts";
import { directPath, parsePlace } from "../../routes.ts";
import { useAction } from "../../shared/use-action.ts";
import { openPanel, usePanels } from "../../state/panels.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { focusComposer } from "../composer/composer-id.ts";
import { Composer } from "../composer/composer.tsx";
import { MessageList } from "../messages/list/message-list.tsx";
import { PinsPanel } from "../messages/pins/pins-panel.tsx";
import type { DirectDialog } from "./direct-dialog.ts";
import { DirectDialogs } from "./direct-dialogs.tsx";
import { DirectHeader } from "./direct-header.tsx";
import { PeoplePanel } from "./people-panel.tsx";
import { useDirect, type Direct } from "./use-direct.ts";

/** So many pictures stand in a row. */
const MAX_SHOWN = 5;

/** What was said, and where one writes. */
export function Conversation({ channel }: { channel: ChannelState }) {
  const panel = usePanels((state) => state.panel);
  const [dialog, setDialog] = useState<DirectDialog | null>(null);
  const direct = useDirect(channel);
  const [, navigate] = useLocation();
  const { message, thread } = parsePlace(useSearch());
  const onJumped = useCallback(
    () => navigate(directPath(channel.id, thread === undefined ? {} : { thread }), { replace: true }),
    [navigate, channel.id, thread],
  );
  const isBlocked = useIsBlocked(direct.otherId ?? "");
  const closePanel = () => openPanel(null);
  return (
    <>
      <DirectHeader channel={channel} direct={direct} onOpen={setDialog} />
      <MessageList
        channel={channel}
        title={direct.title}
        beginning={<Beginning direct={direct} />}
        jumpToId={message}
        onJumped={onJumped}
        onLeave={() => focusComposer(channel.id)}
      />
      {isBlocked && direct.otherId !== null ? (
        <Blocked userId={direct.otherId} name={direct.title} />
      ) : (
        <Composer channel={channel} title={direct.title} autoFocus />
      )}
      {panel === "pins" && <PinsPanel channel={channel} onClose={closePanel} />}
      {panel === "members" && (
        <PeoplePanel channel={channel} direct={direct} onOpen={setDialog} onClose={closePanel} />
      )}
      {dialog !== null && <DirectDialogs dialog={dialog} onClose={() => setDialog(null)} />}
    </>
  );
}

/** In place of where one writes. */
function Blocked({ userId, name }: { userId: string; name: string }) {
  const { t } = useTranslation("directs");
  const call = useCall();
  const { busy, error, run } = useAction();
  return (
    <div className="grid gap-2 px-3 pb-4 md:px-5">
      <div className="flex flex-wrap items-center gap-3 rounded-md border border-line bg-sidebar px-4 py-3">
        <p className="min-w-0 flex-1 text-muted">{t("blocked", { name })}</p>
        <Button size="sm" busy={busy} onClick={() => void run(() => call("user.unblock", { userId }))}>
          {t("members:action.unblock")}
        </Button>
      </div>
      <ErrorNote text={error} />
    </div>
  );
}

/** Above the first message of a conversation: who it is with. */
function Beginning({ direct: { title, otherId, otherIds } }: { direct: Direct }) {
  const { t } = useTranslation("directs");
  return (
    <div className="grid gap-1 pb-2">
      <div className="mb-1 flex -space-x-3">
        {otherIds.slice(0, MAX_SHOWN).map((userId) => (
          <Picture key={userId} userId={userId} />
        ))}
      </div>
      <p className="truncate text-xl font-semibold">{title}</p>
      <p className="line-clamp-2 text-muted">
        {otherId === null ? t("beginning.group") : t("beginning.two", { name: title })}
      </p>
    </div>
  );
}

function Picture({ userId }: { userId: string }) {
  const user = useUser(userId);
  return (
    <span className="flex rounded-full ring-3 ring-canvas">
      <Avatar name={user?.nickname ?? "…"} id={userId} src={user?.avatarUrl} size={56} />
    </span>
  );
}
