import { LIMITS } from "@fanfare/contract/limits";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../../../data/call.ts";
import { directPath } from "../../../routes.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { Form } from "../../../ui/form.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { useForm } from "../../../ui/use-form.ts";
import { isNotReachable } from "../../friends/is-not-reachable.ts";
import { PeoplePicker } from "../people-picker.tsx";
import { Refusal } from "./refusal.tsx";

interface NewDirectDialogProps {
  /** Who is chosen from the beginning. */
  userIds: readonly string[];
  onClose: () => void;
}

/** A conversation with one or with several. */
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
        if (!isNotReachable(error)) throw error;
        setRefused(true);
      }
    },
  });
  return (
    <Dialog open onClose={onClose} title={t("create.title")} description={t("create.text")}>
      <Form
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
            label={t("create.name")}
            hint={t("create.nameHint")}
            maxLength={LIMITS.channelNameMaxChars}
            autoComplete="off"
            {...form.field("name")}
          />
        )}
        {isRefused && <Refusal isOfSeveral={isGroup} />}
      </Form>
    </Dialog>
  );
}
