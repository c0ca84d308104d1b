import type { Channel } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { Lock, VolumeX } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useServerCache } from "../../data/data-context.ts";
import { useMember } from "../../data/members.ts";
import { useChannelPermissions, useMyPermissions } from "../../data/groups.ts";
import { useFormats } from "../../shared/formats.ts";
import { useNow } from "../../shared/hooks.ts";
import { ComposerBox } from "./composer-box.tsx";

/** Whether the user can write in a channel, and if not, why. */
type ComposerState = { kind: "open" } | { kind: "muted"; untilMs: number } | { kind: "readOnly" };

interface ComposerProps {
  channel: Channel;
  /** How the place is called: "#general", or the name of whom one writes to. */
  title: string;
  /** Whether the focus begins here where there is a keyboard. */
  autoFocus?: boolean;
}

/** Where one writes in a channel, a direct channel or a thread; where one may not, why. Give it the channel's id as its key. */
export function Composer(props: ComposerProps) {
  const { t } = useTranslation("composer");
  const { dateTime } = useFormats();
  const state = useComposerState(props.channel);
  switch (state.kind) {
    case "muted":
      return (
        <Notice icon={<VolumeX size={18} aria-hidden />}>
          {t("state.muted", { time: dateTime(state.untilMs) })}
        </Notice>
      );
    case "readOnly":
      return <Notice icon={<Lock size={18} aria-hidden />}>{t("state.readOnly")}</Notice>;
    case "open":
      return <ComposerBox {...props} />;
  }
}

function Notice({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <div className="shrink-0 px-3 pb-4 md:px-5">
      <p className="flex items-center gap-2.5 rounded-lg border border-line bg-sidebar px-4 py-3 text-muted">
        {icon}
        {children}
      </p>
    </div>
  );
}

function useComposerState(channel: Channel): ComposerState {
  const { client } = useServerCache();
  const groupId = channel.groupId ?? "";
  const enabled = channel.groupId !== null;
  const permissions = useChannelPermissions(channel);
  const isKnown = useMyPermissions(groupId, { enabled }).data !== undefined;
  const { data: member } = useMember(groupId, client.user?.id ?? "", { enabled });
  const mutedUntil = member?.mutedUntil ?? null;
  const nowMs = useNow();
  const untilMs = mutedUntil === null ? 0 : Date.parse(mutedUntil);
  if (untilMs > nowMs) return { kind: "muted", untilMs };
  // Until it is known, most may.
  if (enabled && isKnown && !hasPermission(permissions, "sendMessages")) return { kind: "readOnly" };
  return { kind: "open" };
}
