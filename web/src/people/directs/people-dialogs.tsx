import { LIMITS } from "@fanfare/contract/limits";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../../data/call.ts";
import { directPath } from "../../routes.ts";
import { FormDialog, NameDialog } from "../../ui/form-dialog.tsx";
import { TextField, useForm } from "../../ui/form.tsx";
import type { Channel } from "@fanfare/contract";
import { Info } from "lucide-react";
import { isErrorOf } from "../../shared/use-action.ts";
import { PeoplePicker } from "../members/pickers.tsx";

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

function NotReachableNote({ isOfSeveral }: { isOfSeveral: boolean }) {
  const { t } = useTranslation("directs");
  return (
    <p role="alert" className="flex gap-2.5 rounded-md bg-warn-soft px-3 py-2.5 text-sm text-warn-text">
      <Info size={18} aria-hidden className="shrink-0" />
      {isOfSeveral ? t("someNotReachable") : t("notReachable")}
    </p>
  );
}
