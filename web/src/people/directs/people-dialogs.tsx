import { LIMITS } from "@fanfare/contract/limits";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../../data/call.ts";
import { directPath } from "../../routes.ts";
import { FormDialog, NameDialog } from "../../ui/form-dialog.tsx";
import { TextField, useForm } from "../../ui/form.tsx";
import type { Channel, User } from "@fanfare/contract";
import { Info, Check } from "lucide-react";
import { useContacts } from "../../data/people.ts";
import { useMe } from "../../data/me.ts";
import { useUserSearch } from "../../data/search.ts";
import { Avatar } from "../../ui/display.tsx";
import { ListRow } from "../../ui/list-row.tsx";
import { cx } from "../../ui/cx.ts";
import { ChosenPeople } from "../members/chosen-people.tsx";
import { isErrorOf } from "../../shared/use-action.ts";

interface NewDirectDialogProps {
  userIds: readonly string[];
  onClose: () => void;
}

export function NewDirectDialog({ userIds, onClose }: NewDirectDialogProps) {
  const { t } = useTranslation("directs");
  const call = useCall();
  const [, navigate] = useLocation();
  const [chosen, setChosen] = useState<readonly string[]>(userIds);
  const [isRefused, setRefused] = useState(false);
  const isGroup = chosen.length > 1;
  const open = (name: string) =>
    isGroup
      ? call("channel.createGroupDirect", { userIds: [...chosen], ...(name !== "" && { name }) })
      : call("channel.openDirect", { userId: chosen[0]! });
  const form = useForm({
    initial: { name: "" },
    async submit({ name }) {
      setRefused(false);
      try {
        const { channel } = await open(name.trim());
        onClose();
        navigate(directPath(channel.id));
      } catch (error) {
        if (!isErrorOf(error, "NOT_REACHABLE")) throw error;
        setRefused(true);
      }
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t("create.title")}
      description={t("create.text")}
      form={form}
      action={isGroup ? t("create.group", { count: chosen.length + 1 }) : t("create.action")}
      disabled={chosen.length === 0}
      wide
    >
      <PeoplePicker
        value={chosen}
        onChange={(next) => {
          setChosen(next);
          setRefused(false);
        }}
        max={LIMITS.membersPerGroupDirect - 1}
      />
      {isGroup && (
        <TextField
          label={t("common:name")}
          hint={t("create.nameHint")}
          maxLength={LIMITS.channelNameMaxChars}
          {...form.field("name")}
        />
      )}
      {isRefused && <NotReachableNote isOfSeveral={isGroup} />}
    </FormDialog>
  );
}

interface AddPeopleDialogProps {
  channel: Channel;
  title: string;
  onClose: () => void;
}

/** If some people can't be added, the others still are. */
export function AddPeopleDialog({ channel, title, onClose }: AddPeopleDialogProps) {
  const { t } = useTranslation("directs");
  const call = useCall();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [isRefused, setRefused] = useState(false);
  const form = useForm({
    initial: {},
    async submit() {
      setRefused(false);
      const refused: string[] = [];
      for (const userId of chosen) {
        try {
          await call("channel.addToDirect", { channelId: channel.id, userId });
        } catch (error) {
          if (!isErrorOf(error, "NOT_REACHABLE")) throw error;
          refused.push(userId);
        }
      }
      setChosen(refused);
      setRefused(refused.length > 0);
      if (refused.length === 0) onClose();
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t("add.title", { title })}
      description={t("add.text")}
      form={form}
      action={t("common:add")}
      disabled={chosen.length === 0}
      wide
    >
      <PeoplePicker
        value={chosen}
        onChange={setChosen}
        without={channel.memberIds}
        max={LIMITS.membersPerGroupDirect - channel.memberIds.length}
      />
      {isRefused && <NotReachableNote isOfSeveral={chosen.length > 1} />}
    </FormDialog>
  );
}

/** Without a name, a group DM shows the names of its members. */
export function RenameDirectDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTranslation("directs");
  const call = useCall();
  return (
    <NameDialog
      onClose={onClose}
      title={t("renameTitle")}
      name={channel.name}
      hint={t("create.nameHint")}
      maxLength={LIMITS.channelNameMaxChars}
      onSave={(name) => call("channel.renameDirect", { channelId: channel.id, name: name || null })}
    />
  );
}

export function NotReachableNote({ isOfSeveral }: { isOfSeveral: boolean }) {
  const { t } = useTranslation("directs");
  return (
    <p role="alert" className="flex gap-2.5 rounded-md bg-warn-soft px-3 py-2.5 text-sm text-warn-text">
      <Info size={18} aria-hidden className="shrink-0" />
      {isOfSeveral ? t("someNotReachable") : t("notReachable")}
    </p>
  );
}

/** Limits the initial list; further friends are found by name. */
const MAX_SHOWN = 50;

interface PeoplePickerProps {
  value: readonly string[];
  onChange: (userIds: readonly string[]) => void;
  without?: readonly string[];
  max: number;
}

export function PeoplePicker({ value, onChange, without = [], max }: PeoplePickerProps) {
  const { t } = useTranslation("directs");
  const [text, setText] = useState("");
  const people = usePeople(text, without);
  const isFull = value.length >= max;
  const toggle = ({ id }: User) => {
    if (value.includes(id)) return onChange(value.filter((each) => each !== id));
    if (isFull) return;
    onChange([...value, id]);
    setText("");
  };
  return (
    <div className="grid gap-3">
      <ChosenPeople
        label={t("picker.chosen")}
        value={value}
        onChange={onChange}
        removeLabel={(name) => t("panel.remove", { name })}
      />
      <TextField
        label={t("picker.label")}
        placeholder={t("picker.placeholder")}
        hint={isFull ? t("picker.full") : t("picker.left", { count: max - value.length })}
        value={text}
        onChange={setText}
        autoFocus
      />
      <ul aria-label={t("picker.people")} className="grid max-h-64 gap-px overflow-y-auto">
        {people.map((user) => {
          const isChosen = value.includes(user.id);
          return (
            <ListRow
              key={user.id}
              leading={<Avatar name={user.nickname} id={user.id} src={user.avatarUrl} />}
              title={
                <>
                  {user.nickname}
                  {isChosen && <span className="sr-only"> {t("picker.isChosen")}</span>}
                </>
              }
              subtitle={user.username === null ? undefined : `@${user.username}`}
              selected={isChosen}
              onClick={() => toggle(user)}
              trailing={<Mark isOn={isChosen} />}
            />
          );
        })}
      </ul>
      {people.length === 0 && (
        <p role="status" className="text-sm text-muted">
          {text.trim() === "" ? t("picker.noFriends") : t("picker.none")}
        </p>
      )}
    </div>
  );
}

function Mark({ isOn }: { isOn: boolean }) {
  return (
    <span
      aria-hidden
      className={cx(
        "me-2 flex size-5 items-center justify-center rounded-full border",
        isOn ? "border-accent bg-accent text-on-accent" : "border-line-strong",
      )}
    >
      {isOn && <Check size={14} strokeWidth={3} />}
    </span>
  );
}

/**
 * Friends and recent contacts; with a text, those whose name contains it and accounts whose name starts with it.
 * @param without IDs to leave out
 */
function usePeople(text: string, without: readonly string[]): User[] {
  const { i18n } = useTranslation();
  const { id: ownId } = useMe();
  const known = useContacts().filter(({ id, deleted }) => id !== ownId && deleted !== true);
  const query = text.trim().toLowerCase();
  const { data: found = [] } = useUserSearch(query);
  const compare = new Intl.Collator(i18n.language).compare;
  const hits = known.filter(
    ({ nickname, username }) =>
      nickname.toLowerCase().includes(query) || (username?.toLowerCase().includes(query) ?? false),
  );
  const others = found.filter(
    ({ id, kind }) => kind !== "bot" && id !== ownId && known.every((one) => one.id !== id),
  );
  return [...hits.toSorted((a, b) => compare(a.nickname, b.nickname)), ...others]
    .filter(({ id }) => !without.includes(id))
    .slice(0, MAX_SHOWN);
}
