import type { AdminUser } from "@fanfare/contract";
import { UserSearch } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAdminUsers } from "../../data/admin.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { CreateUserDialog } from "./create-user-dialog.tsx";
import { PagedList } from "./paged-list.tsx";
import { PasswordLinkDialog, type PasswordLink } from "./password-link-dialog.tsx";
import { UserDeedDialog } from "./user-deed-dialog.tsx";
import type { UserDeed } from "./user-deeds.ts";
import { UserRow } from "./user-row.tsx";
import { useSettled } from "./use-settled.ts";

/** Everybody who has an account here or looks around as a guest, newest first. */
export function AdminUsers() {
  const { t } = useTranslation("admin");
  const [search, setSearch] = useState("");
  const users = useAdminUsers(useSettled(search));
  const [asked, setAsked] = useState<{ user: AdminUser; deed: UserDeed } | null>(null);
  const [isCreating, setCreating] = useState(false);
  const [link, setLink] = useState<PasswordLink | null>(null);
  return (
    <>
      <Button className="justify-self-start" onClick={() => setCreating(true)}>
        {t("createUser.open")}
      </Button>
      <TextField
        label={t("users.search")}
        hint={t("users.searchHint")}
        type="search"
        autoComplete="off"
        value={search}
        onChange={setSearch}
      />
      <PagedList
        label={t("sections.users")}
        query={users}
        empty={<EmptyState icon={UserSearch} title={t("users.none")} text={t("users.noneText")} />}
      >
        {(user) => <UserRow user={user} onDeed={(deed) => setAsked({ user, deed })} />}
      </PagedList>
      {asked !== null && <UserDeedDialog {...asked} onClose={() => setAsked(null)} onLink={setLink} />}
      {isCreating && <CreateUserDialog onClose={() => setCreating(false)} onLink={setLink} />}
      {link !== null && <PasswordLinkDialog {...link} onClose={() => setLink(null)} />}
    </>
  );
}
