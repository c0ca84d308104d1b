import { Snail } from "lucide-react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { useGroupIdOf } from "../data/groups.ts";
import { useNicknames } from "../data/members.ts";
import { useTypingUsers } from "../data/presence.ts";
import { useUsers } from "../data/people.ts";
import { useFormats } from "../shared/formats.ts";
import { cx } from "../ui/cx.ts";

/** Beyond this number, "Several people" is shown. */
const MAX_NAMED = 3;

const DOTS = ["0s", "0.2s", "0.4s"];

/** The counter appears when fewer characters than this are left. */
export const COUNT_FROM_CHARS = 300;

interface ComposerStatusProps {
  id: string;
  channelId: string;
  charsLeft: number;
  /** Attaches the text instead; null if that isn't possible. */
  onAttachText: (() => void) | null;
  secondsLeft: number;
  slowModeSeconds: number;
  waitsFor: "uploads" | "commands" | null;
  onStopWaiting: () => void;
}

/** The line below the box: who is typing, and what prevents sending. Its height is fixed so that nothing moves. */
export const ComposerStatus = memo(function ComposerStatus(props: ComposerStatusProps) {
  const { id, channelId, charsLeft, onAttachText, secondsLeft, slowModeSeconds } = props;
  const { waitsFor, onStopWaiting } = props;
  const { t } = useTranslation("composer");
  const { duration, count } = useFormats();
  return (
    <div className="flex h-6 items-center justify-between gap-3 px-1 text-xs text-muted">
      <TypingLine channelId={channelId} />
      <div id={id} className="flex shrink-0 items-center gap-3">
        {waitsFor !== null && (
          <span>
            {waitsFor === "uploads" ? t("upload.sendLater") : t("command.waiting")}{" "}
            <button
              type="button"
              className="font-medium text-accent-text hover:underline"
              onClick={onStopWaiting}
            >
              {t("ui:cancel")}
            </button>
          </span>
        )}
        {slowModeSeconds > 0 && charsLeft >= 0 && (
          <span
            className="flex items-center gap-1"
            title={t("slowMode.every", { time: duration(slowModeSeconds * 1000) })}
          >
            <Snail size={14} aria-hidden />
            {secondsLeft > 0
              ? t("slowMode.left", { time: duration(secondsLeft * 1000) })
              : t("channels:slowMode.label")}
          </span>
        )}
        {charsLeft < 0 && onAttachText !== null && (
          <button
            type="button"
            className="font-medium text-accent-text hover:underline"
            onClick={onAttachText}
          >
            {t("attachText")}
          </button>
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
});

/** Not announced by screen readers, because it changes constantly. */
function TypingLine({ channelId }: { channelId: string }) {
  const { t } = useTranslation("composer");
  const formats = useFormats();
  const typists = useTypingUsers(channelId);
  const nicknames = useNicknames(useGroupIdOf(channelId));
  const names = useUsers(typists).map(({ id, nickname }) => nicknames[id]?.nickname ?? nickname);
  const text =
    names.length > MAX_NAMED
      ? t("typing.many")
      : names.length > 0 && t("typing.named", { count: names.length, names: formats.names(names) });
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
