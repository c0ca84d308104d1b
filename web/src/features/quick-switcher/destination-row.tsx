import { Hash, Inbox, Settings, Users } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useMe } from "../../data/me.ts";
import { useUser } from "../../data/users.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { CountBadge } from "../../ui/count-badge.tsx";
import type { Destination } from "./destination.ts";
import type { Ranked } from "./rank.ts";

/** One line: what it is, its name with what was typed in bold, where it is, and what is unread. */
export function DestinationRow({ ranked: { destination, at } }: { ranked: Ranked }) {
  const { t } = useTranslation("quick-switcher");
  const { title, detail, unread, kind } = destination;
  const count = kind === "direct" ? unread.messages : unread.mentions;
  return (
    <>
      <Picture destination={destination} />
      <span className={unread.messages > 0 ? "min-w-0 truncate font-semibold" : "min-w-0 truncate"}>
        {Array.from(title, (char, index) =>
          at.includes(index) ? (
            <b key={index} className="font-bold text-accent-text">
              {char}
            </b>
          ) : (
            char
          ),
        )}
      </span>
      <span className="min-w-0 flex-1 truncate text-sm text-muted">{detail}</span>
      {unread.messages > 0 && count === 0 && (
        <span className="size-2 shrink-0 rounded-full bg-text">
          <span className="sr-only">{t("unread")}</span>
        </span>
      )}
      <CountBadge count={count} label={t("mentions", { count })} />
      <span className="shrink-0 text-xs text-muted">{t(`kind.${kind}`)}</span>
    </>
  );
}

const PAGES = { inbox: Inbox, friends: Users, settings: Settings };

function Picture({ destination }: { destination: Destination }) {
  const { kind, title } = destination;
  if (kind === "direct") return <DirectPicture destination={destination} />;
  if (kind === "person")
    return <Avatar name={title} id={destination.userId} src={destination.avatarUrl} size={24} />;
  if (kind === "group")
    return (
      <Avatar name={title} id={destination.key} src={destination.group.iconUrl} size={24} shape="square" />
    );
  const Icon = kind === "page" ? PAGES[destination.page] : Hash;
  return (
    <span className="flex size-6 shrink-0 items-center justify-center text-muted">
      <Icon size={18} aria-hidden />
    </span>
  );
}

function DirectPicture({
  destination: { channel, title },
}: {
  destination: Extract<Destination, { kind: "direct" }>;
}) {
  const me = useMe();
  const otherId = channel.memberIds.find((id) => id !== me.id) ?? me.id;
  const user = useUser(otherId);
  return <Avatar name={user?.nickname ?? title} id={otherId} src={user?.avatarUrl} size={24} />;
}
