import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TextField } from "../../ui/form.tsx";
import type { User } from "@fanfare/contract";
import { Check, Plus, X } from "lucide-react";
import { useContacts } from "../../data/people.ts";
import { useMe } from "../../data/me.ts";
import { useUserSearch } from "../../data/search.ts";
import { Avatar } from "../../ui/display.tsx";
import { ListRow } from "../../ui/list-row.tsx";
import { cx } from "../../ui/cx.ts";
import { useMemberSearch } from "../../data/members.ts";
import { userName, usePerson } from "./user-name.tsx";
import { IconButton } from "../../ui/button.tsx";

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

interface MemberPickerProps {
  groupId: string;
  label: string;
  value: readonly string[];
  onChange: (userIds: string[]) => void;
  max?: number;
}

const MAX_OFFERED = 6;

export function MemberPicker({ groupId, label, value, onChange, max = Infinity }: MemberPickerProps) {
  const { t } = useTranslation("directs");
  const [text, setText] = useState("");
  const { found } = useMemberSearch(groupId, text);
  const offered =
    text.trim() === ""
      ? []
      : found.filter(({ member }) => !value.includes(member.userId)).slice(0, MAX_OFFERED);
  const choose = (userId: string) => {
    onChange([...value, userId]);
    setText("");
  };
  return (
    <div className="grid gap-2">
      <ChosenPeople
        value={value}
        onChange={onChange}
        removeLabel={(name) => t("members:pickerRemove", { name })}
      />
      {value.length < max && (
        <TextField
          label={label}
          placeholder={t("common:searchByName")}
          value={text}
          onChange={setText}
          onKeyDown={(event) => {
            // Enter must not submit the surrounding form.
            if (event.key !== "Enter") return;
            event.preventDefault();
            const first = offered[0];
            if (first !== undefined) choose(first.member.userId);
          }}
        />
      )}
      {offered.length > 0 && (
        <ul className="grid rounded-md border border-line">
          {offered.map(({ member: { userId }, user }) => (
            <ListRow
              key={userId}
              leading={<Avatar id={userId} name={user?.nickname ?? ""} src={user?.avatarUrl} size={24} />}
              title={userName(user)}
              trailing={<Plus size={16} aria-hidden className="me-2 text-muted" />}
              onClick={() => choose(userId)}
            />
          ))}
        </ul>
      )}
      {text.trim() !== "" && offered.length === 0 && (
        <p role="status" className="text-sm text-muted">
          {t("members:panel.none")}
        </p>
      )}
    </div>
  );
}

interface ChosenPeopleProps {
  label?: string;
  value: readonly string[];
  onChange: (userIds: string[]) => void;
  removeLabel: (name: string) => string;
}

function ChosenPeople({ label, value, onChange, removeLabel }: ChosenPeopleProps) {
  if (value.length === 0) return null;
  return (
    <ul aria-label={label} className="flex flex-wrap gap-1.5">
      {value.map((userId) => (
        <Chosen
          key={userId}
          userId={userId}
          removeLabel={removeLabel}
          onRemove={() => onChange(value.filter((id) => id !== userId))}
        />
      ))}
    </ul>
  );
}

interface ChosenProps extends Pick<ChosenPeopleProps, "removeLabel"> {
  userId: string;
  onRemove: () => void;
}

function Chosen({ userId, removeLabel, onRemove }: ChosenProps) {
  const { name, avatarUrl } = usePerson(userId);
  return (
    <li className="flex items-center gap-1.5 rounded-full bg-selected py-0.5 pe-0.5 ps-1 text-sm">
      <Avatar id={userId} name={name} src={avatarUrl} size={20} />
      {name}
      <IconButton icon={X} size="sm" label={removeLabel(name)} onClick={onRemove} className="rounded-full" />
    </li>
  );
}
