import { Snail } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useTypists } from "../../data/typing.ts";
import { useUsers } from "../../data/people.ts";
import { useFormats } from "../../shared/formats.ts";
import { cx } from "../../ui/cx.ts";

/** More names than this say less than their number. */
const MAX_NAMED = 3;

const DOTS = ["0s", "0.2s", "0.4s"];

/** Before this the number of characters that are left is of no interest. */
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

/** The line below the box: who is writing, and what keeps one from sending. It is always as high, so that nothing moves. */
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

/** Who is writing. Not read out: it changes all the time. */
function TypingLine({ channelId }: { channelId: string }) {
  const { t, i18n } = useTranslation("composer");
  const typists = useTypists(channelId);
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
