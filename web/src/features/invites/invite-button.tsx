import { UserPlus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../ui/button.tsx";
import { InviteDialog } from "./invite-dialog.tsx";

/** Makes an invite and shows its link. */
export function InviteButton({ groupId }: { groupId: string }) {
  const { t } = useTranslation("invites");
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="sm" icon={<UserPlus size={16} aria-hidden />} onClick={() => setOpen(true)}>
        {t("invite")}
      </Button>
      {open && <InviteDialog groupId={groupId} onClose={() => setOpen(false)} />}
    </>
  );
}
