import type { Channel } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { Lock, Snail, VolumeX } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useServerCache } from "../data/data-context.ts";
import { useMember } from "../data/members.ts";
import { useChannelPermissions, useMyPermissions, usePlainChannel } from "../data/groups.ts";
import { useFormats } from "../shared/formats.ts";
import { formatTime } from "../shared/times.ts";
import { useNow } from "../shared/hooks.ts";
import { useTypingUsers } from "../data/presence.ts";
import { useUsers } from "../data/people.ts";
import { cx } from "../ui/cx.ts";
import { ComposerBox } from "./composer-box.tsx";

type ComposerState = { kind: "open" } | { kind: "muted"; untilMs: number } | { kind: "readOnly" };

interface ComposerProps {
  channel: Channel;
  /** The place's name: "#general" or the other person's name. */
  title: string;
  /** Focuses the field on devices with a keyboard. */
  autoFocus?: boolean;
}

/** Writes to a channel, direct message or thread, or says why this isn't possible. Use the channel's ID as the key. */
export function Composer(props: ComposerProps) {
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
  // Until permissions are loaded, assume that sending is allowed.
  if (enabled && isKnown && !hasPermission(permissions, "sendMessages")) return { kind: "readOnly" };
  return { kind: "open" };
}

/** Beyond this number, "Several people" is shown. */
const MAX_NAMED = 3;

const DOTS = ["0s", "0.2s", "0.4s"];

/** The counter appears when fewer characters than this are left. */
const COUNT_FROM_CHARS = 300;

interface ComposerStatusProps {
  id: string;
  channelId: string;
  charsLeft: number;
  secondsLeft: number;
  slowModeSeconds: number;
  isWaiting: boolean;
  onStopWaiting: () => void;
}

/** The line below the box: who is typing, and what prevents sending. Its height is fixed so that nothing moves. */
export function ComposerStatus(props: ComposerStatusProps) {
  const { id, channelId, charsLeft, secondsLeft, slowModeSeconds, isWaiting, onStopWaiting } = props;
  const { t } = useTranslation("composer");
  const { duration, count } = useFormats();
  return (
    <div className="flex h-6 items-center justify-between gap-3 px-1 text-xs text-muted">
      <TypingLine channelId={channelId} />
      <div id={id} className="flex shrink-0 items-center gap-3">
        {isWaiting && (
          <span>
            {t("upload.sendLater")}{" "}
            <button
              type="button"
              className="font-medium text-accent-text hover:underline"
              onClick={onStopWaiting}
            >
              {t("ui:cancel")}
            </button>
          </span>
        )}
        {slowModeSeconds > 0 && (
          <span
            className="flex items-center gap-1"
            title={t("slowMode.every", { time: duration(slowModeSeconds * 1000) })}
          >
            <Snail size={14} aria-hidden />
            {secondsLeft > 0
              ? t("slowMode.left", { time: duration(secondsLeft * 1000) })
              : t("slowMode.name")}
          </span>
        )}
        {charsLeft < COUNT_FROM_CHARS && (
          <span className={cx("tabular-nums", charsLeft < 0 && "font-medium text-danger-text")}>
            {charsLeft < 0
              ? t("tooLong", { count: -charsLeft })
              : t("charsLeft", { count: charsLeft, number: count(charsLeft) })}
          </span>
        )}
      </div>
    </div>
  );
}

/** Not announced by screen readers, because it changes constantly. */
function TypingLine({ channelId }: { channelId: string }) {
  const { t, i18n } = useTranslation("composer");
  const typists = useTypingUsers(channelId);
  const names = useUsers(typists).map(({ nickname }) => nickname);
  const isMany = names.length > MAX_NAMED;
  const text = isMany
    ? t("typing.many")
    : t("typing.named", { count: names.length, names: new Intl.ListFormat(i18n.language).format(names) });
  return (
    <p aria-live="off" className="flex min-w-0 items-center gap-1.5">
      {names.length > 0 && (
        <>
          <span aria-hidden className="flex shrink-0 gap-0.5">
            {DOTS.map((delay) => (
              <span
                key={delay}
                className="size-1.5 animate-pulse rounded-full bg-muted motion-reduce:animate-none"
                style={{ animationDelay: delay }}
              />
            ))}
          </span>
          <span className="truncate">{text}</span>
        </>
      )}
    </p>
  );
}
