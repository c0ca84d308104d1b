import type { Channel } from "@fanfare/contract";
import { Lock, VolumeX } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useServerCache } from "../data/data-context.ts";
import { useMember } from "../data/members.ts";
import { useIsDenied, usePlainChannel } from "../data/groups.ts";
import { formatTime } from "../shared/times.ts";
import { useNow } from "../shared/hooks.ts";
import { afterFirst } from "../shared/later.tsx";
import { usePreferences } from "../state/preferences.ts";
import type { ComposerBoxProps } from "./composer-box.tsx";

type ComposerState = { kind: "open" } | { kind: "muted"; untilMs: number } | { kind: "readOnly" };

/** The messages are shown before it. */
const ComposerBox = afterFirst(async () => (await import("./fields.ts")).ComposerBox, EmptyBox);

/** Writes to a channel, direct message or thread, or says why this isn't possible. Use the channel's ID as the key. */
export function Composer(props: ComposerBoxProps) {
  const { t } = useTranslation("composer");
  const channel = usePlainChannel(props.channel);
  const state = useComposerState(channel);
  switch (state.kind) {
    case "muted":
      return (
        <Notice icon={<VolumeX size={18} aria-hidden className="shrink-0" />}>
          {t("state.muted", { time: formatTime(state.untilMs, "dateTime") })}
        </Notice>
      );
    case "readOnly":
      return (
        <Notice icon={<Lock size={18} aria-hidden className="shrink-0" />}>{t("state.readOnly")}</Notice>
      );
    case "open":
      return <ComposerBox {...props} channel={channel} />;
  }
}

function Notice({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <div className="column shrink-0 pb-4 max-md:px-3">
      <p className="flex items-center gap-2.5 rounded-lg border border-line bg-sidebar px-4 py-3 text-muted">
        {icon}
        {children}
      </p>
    </div>
  );
}

export function useComposerState(channel: Pick<Channel, "id" | "groupId" | "parentId">): ComposerState {
  const { client } = useServerCache();
  const groupId = channel.groupId ?? "";
  const enabled = channel.groupId !== null;
  const isReadOnly = useIsDenied(channel, "sendMessages");
  const { data: member } = useMember(groupId, client.user?.id ?? "", { enabled });
  const mutedUntil = member?.mutedUntil ?? null;
  const nowMs = useNow();
  const untilMs = mutedUntil === null ? 0 : Date.parse(mutedUntil);
  if (untilMs > nowMs) return { kind: "muted", untilMs };
  return { kind: isReadOnly ? "readOnly" : "open" };
}

/** Has the box's height, so that no message moves. */
function EmptyBox({ channel }: ComposerBoxProps) {
  const isFormatting = usePreferences((preferences) => preferences.showFormatting);
  return (
    <div className="column shrink-0 pb-1 max-md:px-3">
      <div className="rounded-lg border border-line-strong bg-field">
        {isFormatting && <div className="mt-1 h-control-sm" />}
        <div className="m-1 h-control" />
      </div>
      <div className={channel.parentId === null ? "h-6" : "h-14"} />
    </div>
  );
}
