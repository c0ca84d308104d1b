import type { Status } from "@fanfare/client";
import type { User } from "@fanfare/contract";
import type { ComponentProps, ReactNode } from "react";
import { Avatar } from "../../ui/avatar.tsx";
import { useName } from "../members/use-name.ts";
import { UserPopover } from "../members/user-popover.tsx";

interface PersonLineProps extends ComponentProps<"li"> {
  user: User;
  status?: Status | undefined;
  subtitle?: ReactNode;
  /** Buttons at the end. */
  children: ReactNode;
}

/** Somebody in a list of people: a click shows the card. */
export function PersonLine({ user, status, subtitle, children, ...rest }: PersonLineProps) {
  const name = useName(user);
  return (
    <li
      className="flex items-center gap-2 rounded-md pr-1 hover:bg-hover has-data-popup-open:bg-hover"
      {...rest}
    >
      <UserPopover
        userId={user.id}
        groupId={null}
        className="flex min-h-14 min-w-0 flex-1 items-center gap-3 rounded-md px-2 text-left -outline-offset-2"
      >
        <Avatar name={name} id={user.id} src={user.avatarUrl} size={38} status={status} />
        <span className="grid min-w-0 leading-tight">
          <span className="flex min-w-0 items-baseline gap-2">
            <span className="truncate font-semibold">{name}</span>
            {user.username !== null && (
              <span className="truncate text-sm text-muted max-md:hidden">@{user.username}</span>
            )}
          </span>
          {subtitle}
        </span>
      </UserPopover>
      <span className="flex shrink-0 items-center gap-1">{children}</span>
    </li>
  );
}
