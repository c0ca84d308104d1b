import type { Channel } from "@fanfare/contract";
import { Hash, type LucideIcon, MessageSquareText, Users } from "lucide-react";
import { useTranslation } from "react-i18next";

const ICONS: Record<Channel["kind"], LucideIcon> = {
  text: Hash,
  section: Hash,
  thread: MessageSquareText,
  direct: Users,
  groupDirect: Users,
};

/** Above the first message of a channel. */
export function Beginning({ channel, title }: { channel: Channel; title: string }) {
  const { t } = useTranslation("messages");
  const Icon = ICONS[channel.kind];
  const isRoom = channel.kind === "text";
  return (
    <div className="grid gap-1 pb-2">
      <span className="mb-1 flex size-12 items-center justify-center rounded-full bg-accent-soft text-accent-text">
        <Icon size={24} aria-hidden />
      </span>
      <p className="truncate text-xl font-semibold">
        {isRoom ? t("beginning.welcome", { name: title }) : title}
      </p>
      <p className="line-clamp-2 text-muted">
        {channel.topic !== ""
          ? channel.topic
          : isRoom
            ? t("beginning.text", { name: title })
            : t("beginning.other")}
      </p>
    </div>
  );
}
