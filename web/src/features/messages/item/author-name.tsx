import type { CSSProperties } from "react";
import { useTranslation } from "react-i18next";
import { useAsk } from "../../../data/data-context.ts";
import { Badge } from "../../../ui/badge.tsx";
import { useMessageContext } from "../list/message-context.ts";
import { readableColor } from "./name-color.ts";
import type { Author } from "./use-author.ts";

interface AuthorNameProps {
  author: Author;
  authorId: string;
  /** Whether Tab leads to it. */
  isActive: boolean;
}

/** The name of an author in the colour of the highest role that has one, with a word about who is no person. */
export function AuthorName({ author, authorId, isActive }: AuthorNameProps) {
  const { t } = useTranslation("messages");
  const { channel, coloredRoles, onUser } = useMessageContext();
  const isPerson = author.mark !== "webhook";
  const isPlain = coloredRoles.length === 0 || channel.groupId === null || !isPerson;
  const name = isPlain ? (
    <span className="font-semibold">{author.name}</span>
  ) : (
    <ColoredName name={author.name} authorId={authorId} groupId={channel.groupId!} />
  );
  return (
    <>
      {isPerson && onUser !== undefined ? (
        <button
          type="button"
          tabIndex={isActive ? 0 : -1}
          className="truncate hover:underline"
          onClick={(event) => onUser(authorId, event.currentTarget)}
        >
          {name}
        </button>
      ) : (
        name
      )}
      {author.mark !== null && <Badge>{t(`author.${author.mark}`)}</Badge>}
    </>
  );
}

function ColoredName({ name, authorId, groupId }: { name: string; authorId: string; groupId: string }) {
  const { coloredRoles } = useMessageContext();
  const { data: member } = useAsk("group.getMember", { groupId, userId: authorId });
  const color = coloredRoles.find(({ id }) => member?.member.roleIds.includes(id))?.color;
  if (color === undefined || color === null) return <span className="font-semibold">{name}</span>;
  const colors = { "--light": readableColor(color, "light"), "--dark": readableColor(color, "dark") };
  return (
    <span className="font-semibold text-(--light) dark:text-(--dark)" style={colors as CSSProperties}>
      {name}
    </span>
  );
}
