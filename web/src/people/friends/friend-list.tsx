import type { User } from "@fanfare/contract";
import { MoonStar, UserPlus, Users, Ellipsis, MessageCircle } from "lucide-react";
import { useMemo, useState, type ComponentProps, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useFriends, useUsers } from "../../data/people.ts";
import { useStatus, useStatuses } from "../../data/presence.ts";
import { errorText, isErrorOf } from "../../shared/use-action.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { ContextMenu, Menu } from "../../ui/menu.tsx";
import { EmptyState, SkeletonRows, showToast, Pending } from "../../ui/feedback.tsx";
import { useOpenDirect } from "../directs/use-direct.tsx";
import { StatusLine, useName } from "../members/user-name.tsx";
import { usePersonMenu } from "../members/use-person-menu.ts";
import type { Status } from "@fanfare/client";
import { Avatar } from "../../ui/display.tsx";
import { UserPopover } from "../members/people-store.tsx";
import { LIMITS } from "@fanfare/contract/limits";
import { useCall } from "../../data/call.ts";
import { useMe } from "../../data/me.ts";
import { TextField } from "../../ui/form.tsx";

/** Limits the watched presences: a client can watch 500, and other lists need some. */
const MAX_WATCHED = 400;
const STEP = 100;

export function FriendList({ isOnline, onShowAll }: { isOnline: boolean; onShowAll: () => void }) {
  const { t, i18n } = useTranslation("friends");
  const query = useFriends();
  const { data: friends } = query;
  const ids = useMemo(() => friends?.map(({ userId }) => userId) ?? [], [friends]);
  const watched = useMemo(() => ids.slice(0, MAX_WATCHED), [ids]);
  const [max, setMax] = useState(STEP);
  const users = useUsers(ids);
  const statuses = useStatuses(watched);
  if (friends === undefined) return <Pending of={query} />;
  if (friends.length === 0) {
    return (
      <EmptyState
        icon={Users}
        title={t("all.empty")}
        text={t("all.emptyText")}
        action={
          <Button icon={UserPlus} onClick={() => document.getElementById(ADD_FRIEND_ID)?.focus()}>
            {t("add.label")}
          </Button>
        }
      />
    );
  }
  const isHere = ({ id }: User): boolean => (statuses.get(id) ?? "offline") !== "offline";
  const compare = new Intl.Collator(i18n.language).compare;
  const shown = users
    .filter((user) => !isOnline || isHere(user))
    .toSorted((a, b) => compare(a.nickname, b.nickname));
  if (shown.length === 0) {
    if (users.length === 0) return <SkeletonRows withAvatar />;
    return (
      <EmptyState
        icon={MoonStar}
        title={t("online.empty")}
        text={t("online.emptyText")}
        action={<Button onClick={onShowAll}>{t("online.showAll")}</Button>}
      />
    );
  }
  return (
    <>
      <p className="px-2 pb-2 text-xs font-semibold text-muted">
        {isOnline ? t("online.count", { count: shown.length }) : t("all.count", { count: shown.length })}
      </p>
      <ul className="grid gap-px">
        {shown.slice(0, max).map((user) => (
          <FriendRow key={user.id} user={user} />
        ))}
      </ul>
      {shown.length > max && (
        <div className="flex justify-center pt-3">
          <Button onClick={() => setMax(max + STEP)}>{t("ui:more")}</Button>
        </div>
      )}
    </>
  );
}

function FriendRow({ user }: { user: User }) {
  const { t } = useTranslation("friends");
  const openDirect = useOpenDirect();
  const status = useStatus(user.id);
  const items = usePersonMenu(user);
  return (
    <ContextMenu items={items}>
      <PersonLine
        user={user}
        status={status}
        subtitle={status === undefined ? undefined : <StatusLine status={status} />}
      >
        <IconButton
          icon={MessageCircle}
          label={t("members:messageTo", { name: user.nickname })}
          onClick={() => void openDirect(user.id)}
        />
        <Menu
          items={items}
          trigger={<IconButton icon={Ellipsis} label={t("members:more", { name: user.nickname })} />}
        />
      </PersonLine>
    </ContextMenu>
  );
}

interface PersonLineProps extends ComponentProps<"li"> {
  user: User;
  status?: Status | undefined;
  subtitle?: ReactNode;
  children: ReactNode;
}

export function PersonLine({ user, status, subtitle, children, ...rest }: PersonLineProps) {
  const name = useName(user);
  return (
    <li
      className="flex items-center gap-2 rounded-md pe-1 hover:bg-hover has-data-popup-open:bg-hover"
      {...rest}
    >
      <UserPopover
        userId={user.id}
        groupId={null}
        className="flex min-h-14 min-w-0 flex-1 items-center gap-3 rounded-md px-2 text-start -outline-offset-2"
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

const ADD_FRIEND_ID = "add-friend";

export function AddFriend() {
  const { t } = useTranslation("friends");
  const call = useCall();
  const me = useMe();
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const username = name.trim().replace(/^@/, "").toLowerCase();
  const ask = async () => {
    if (username === "" || busy) return;
    if (username === me.username) return setError(t("add.self"));
    setBusy(true);
    try {
      const { state } = await call("friend.request", { username });
      setName("");
      showToast({ text: t(`add.${state}`, { name: username }), tone: "good" });
    } catch (failure) {
      setError(isErrorOf(failure, "NOT_REACHABLE") ? t("add.refused") : errorText(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void ask();
      }}
    >
      <TextField
        id={ADD_FRIEND_ID}
        label={t("add.label")}
        placeholder={t("add.placeholder")}
        hint={t("add.hint", { username: me.username })}
        error={error}
        value={name}
        onChange={(text) => {
          setName(text);
          setError(undefined);
        }}
        maxLength={LIMITS.usernameMaxChars + 1}
        autoCapitalize="none"
        spellCheck={false}
        after={
          <Button type="submit" variant="primary" busy={busy} disabled={username === ""} icon={UserPlus}>
            {t("add.action")}
          </Button>
        }
      />
    </form>
  );
}
