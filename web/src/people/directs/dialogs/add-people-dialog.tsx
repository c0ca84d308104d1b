import type { Channel } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { Form } from "../../../ui/form.tsx";
import { useForm } from "../../../ui/use-form.ts";
import { isNotReachable } from "../../friends/is-not-reachable.ts";
import { PeoplePicker } from "../people-picker.tsx";
import { Refusal } from "./refusal.tsx";

interface AddPeopleDialogProps {
  channel: Channel;
  title: string;
  onClose: () => void;
}

/** Lets others into a conversation of several. Who could be let in is, also where somebody else could not. */
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
          if (!isNotReachable(error)) throw error;
          refused.push(userId);
        }
      }
      setChosen(refused);
      setRefused(refused.length > 0);
      if (refused.length === 0) onClose();
    },
  });
  return (
    <Dialog open onClose={onClose} title={t("add.title", { title })} description={t("add.text")}>
      <Form form={form} action={t("add.action")} disabled={chosen.length === 0} wide>
        <PeoplePicker
          value={chosen}
          onChange={setChosen}
          without={channel.memberIds}
          max={LIMITS.membersPerGroupDirect - channel.memberIds.length}
        />
        {isRefused && <Refusal isOfSeveral={chosen.length > 1} />}
      </Form>
    </Dialog>
  );
}
