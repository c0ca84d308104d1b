import { useTranslation } from "react-i18next";
import { useTypists } from "../../data/typing.ts";
import { useUsers } from "../../data/users.ts";

/** More names than this say less than their number. */
const MAX_NAMED = 3;

/** Who is writing. Not read out: it changes all the time. */
export function TypingLine({ channelId }: { channelId: string }) {
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

const DOTS = ["0s", "0.2s", "0.4s"];
