import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useGroups } from "../../../data/groups.ts";
import { useMe } from "../../../data/me.ts";
import { groupSettingsPath } from "../../../routes.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { Button, buttonClass } from "../../../ui/button.tsx";
import { ListRow } from "../../../ui/list-row.tsx";
import { Section } from "../section.tsx";
import { DeleteAccountDialog } from "./delete-account-dialog.tsx";

/** What owns groups has to give them away before. */
export function DeleteAccount() {
  const { t } = useTranslation("user-settings");
  const me = useMe();
  const { data: groups } = useGroups();
  const [isOpen, setOpen] = useState(false);
  const owned = groups?.filter(({ ownerId }) => ownerId === me.id) ?? [];
  return (
    <Section title={t("delete.title")} text={t("delete.text")}>
      {owned.length > 0 && (
        <div className="grid gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn-text">
          <p className="text-sm">{t("delete.owned")}</p>
          <ul className="grid gap-1 text-text">
            {owned.map(({ id, name, iconUrl }) => (
              <li key={id}>
                <ListRow
                  leading={<Avatar id={id} name={name} src={iconUrl} shape="square" />}
                  title={name}
                  trailing={
                    <Link href={groupSettingsPath(id, "danger")} className={buttonClass({ size: "sm" })}>
                      {t("delete.giveAway")}
                    </Link>
                  }
                />
              </li>
            ))}
          </ul>
        </div>
      )}
      <div>
        <Button
          variant="danger"
          disabled={groups === undefined || owned.length > 0}
          onClick={() => setOpen(true)}
        >
          {t("delete.action")}
        </Button>
      </div>
      {isOpen && <DeleteAccountDialog onClose={() => setOpen(false)} />}
    </Section>
  );
}
