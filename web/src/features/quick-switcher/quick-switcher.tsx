import { Search, Hash, Inbox, Settings, Users } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useMe } from "../../data/me.ts";
import { useUser } from "../../data/users.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { CountBadge } from "../../ui/count-badge.tsx";
import { cx } from "../../ui/cx.ts";
import { Kbd } from "../../ui/kbd.tsx";
import { Palette } from "../../ui/palette.tsx";
import { useOptions } from "../../ui/use-options.ts";
import { useOpenDirect } from "../directs/use-open-direct.ts";
import type { Destination } from "./destination.ts";
import { rank, urgency, type Ranked } from "./rank.ts";
import { useDestinations } from "./use-destinations.ts";

const PAGES = { inbox: Inbox, friends: Users, settings: Settings };

/** Goes anywhere by a few letters of its name. */
export function QuickSwitcher({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("quick-switcher");
  return (
    <Palette open onClose={onClose} label={t("title")}>
      <Content onClose={onClose} />
    </Palette>
  );
}

function Content({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("quick-switcher");
  const [query, setQuery] = useState("");
  const ranked = rank(useDestinations(query), query);
  const [, navigate] = useLocation();
  const openDirect = useOpenDirect();
  const { fieldProps, listProps, optionProps, onKey, active } = useOptions({
    count: ranked.length,
    about: query,
    onPick: (index) => {
      const picked = ranked[index];
      if (picked === undefined) return;
      onClose();
      const { destination } = picked;
      if (destination.kind === "person") void openDirect(destination.userId);
      else navigate(destination.path);
    },
  });
  return (
    <>
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Search size={18} aria-hidden className="shrink-0 text-muted" />
        <input
          {...fieldProps}
          type="text"
          aria-label={t("title")}
          placeholder={t("placeholder")}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={onKey}
          className="min-h-13 min-w-0 flex-1 bg-transparent text-text outline-none placeholder:text-muted"
        />
        <span className="touch:hidden">
          <Kbd keys={["Esc"]} />
        </span>
      </div>
      <div
        {...listProps}
        aria-label={t("title")}
        className={cx("min-h-0 flex-1 overflow-y-auto p-1.5", ranked.length === 0 && "hidden")}
      >
        {ranked.map((one, index) => (
          <div key={`${one.destination.kind} ${one.destination.key}`} role="presentation">
            <Heading now={one.destination} before={ranked[index - 1]?.destination} isShown={query === ""} />
            <div
              {...optionProps(index)}
              className={cx(
                "flex min-h-row cursor-default items-center gap-2.5 rounded-sm px-2.5 py-1",
                index === active && "bg-selected",
              )}
            >
              <DestinationRow ranked={one} />
            </div>
          </div>
        ))}
      </div>
      <p role="status" className={cx("px-4 py-5 text-center text-muted", ranked.length > 0 && "sr-only")}>
        {ranked.length > 0
          ? t("found", { count: ranked.length })
          : query.trim() === ""
            ? t("start")
            : t("none", { query: query.trim() })}
      </p>
    </>
  );
}

/** Above the first that is unread, and the first that is not. */
function Heading({
  now,
  before,
  isShown,
}: {
  now: Destination;
  before: Destination | undefined;
  isShown: boolean;
}) {
  const { t } = useTranslation("quick-switcher");
  const isUnread = urgency(now) > 0;
  if (!isShown || (before !== undefined && urgency(before) > 0 === isUnread)) return null;
  return (
    <p aria-hidden className="px-2.5 pt-2 pb-1 text-xs font-semibold text-muted">
      {isUnread ? t("unreadFirst") : t("recent")}
    </p>
  );
}

/** One line: what it is, its name with what was typed in bold, where it is, and what is unread. */
function DestinationRow({ ranked: { destination, at } }: { ranked: Ranked }) {
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
