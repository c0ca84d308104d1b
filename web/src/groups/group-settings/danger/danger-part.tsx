import type { Group } from "@fanfare/contract";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../../../data/call.ts";
import { useUser } from "../../../data/people.ts";
import { landingPath } from "../../../routes.ts";
import { Section } from "../../../settings/section.tsx";
import { Button } from "../../../ui/button.tsx";
import { openConfirm } from "../../../ui/open-dialog.tsx";
import { TextField } from "../../../ui/form.tsx";
import { MemberPicker } from "../../../people/members/pickers.tsx";
import { userName } from "../../../people/members/user-name.tsx";

export function DangerPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const [, navigate] = useLocation();
  const [newOwnerIds, setNewOwnerIds] = useState<string[]>([]);
  const [typed, setTyped] = useState("");
  const newOwner = useUser(newOwnerIds[0]);
  const transfer = () =>
    openConfirm({
      danger: true,
      title: t("danger.transferTitle", { group: group.name, name: userName(newOwner) }),
      children: t("danger.transferConfirm"),
      action: t("danger.transfer"),
      onConfirm: () => call("group.transfer", { groupId: group.id, userId: newOwnerIds[0]! }),
    });
  const remove = () =>
    openConfirm({
      danger: true,
      title: t("danger.deleteTitle", { group: group.name }),
      children: t("danger.deleteConfirm"),
      action: t("danger.delete"),
      async onConfirm() {
        await call("group.delete", { groupId: group.id });
        navigate(landingPath());
      },
    });
  return (
    <div className="grid gap-8">
      <Section title={t("danger.transfer")}>
        <p className="text-muted">{t("danger.transferText")}</p>
        <MemberPicker
          groupId={group.id}
          label={t("danger.newOwner")}
          value={newOwnerIds}
          onChange={setNewOwnerIds}
          max={1}
        />
        <div>
          <Button disabled={newOwnerIds.length === 0} onClick={transfer}>
            {t("danger.transfer")}
          </Button>
        </div>
      </Section>
      <section className="grid gap-3 rounded-lg border border-danger/50 p-5">
        <h2 className="text-lg font-semibold text-danger-text">{t("danger.delete")}</h2>
        <p className="text-muted">{t("danger.deleteText")}</p>
        <TextField
          label={t("danger.confirmName", { name: group.name })}
          value={typed}
          onChange={setTyped}
          spellCheck={false}
        />
        <div>
          <Button variant="danger" disabled={typed !== group.name} onClick={remove}>
            {t("danger.delete")}
          </Button>
        </div>
      </section>
    </div>
  );
}
