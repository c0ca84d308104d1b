import { Suspense, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useUser } from "../../data/people.ts";
import { AnchoredPopover } from "../../ui/popover.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useIsPhone } from "../../ui/hooks.ts";
import {
  closePersonDialog,
  closeProfile,
  clearPeople,
  type ShownProfile,
  usePeople,
} from "./people-store.tsx";
import { ProfileCard } from "./profile/profile-card.tsx";
import { lazy } from "../../shared/later.tsx";

const PersonDialogs = lazy(async () => ({
  default: (await import("./person-dialogs.tsx")).PersonDialogs,
}));

/** Renders the open user card and dialogs about users. Mounted once. */
export function PeopleHost() {
  const { profile, dialog } = usePeople();
  const [path] = useLocation();
  useEffect(() => clearPeople, []);
  return (
    <>
      {profile !== null && <Profile key={profile.userId} profile={profile} path={path} />}
      {dialog !== null && (
        <Suspense fallback={null}>
          <PersonDialogs dialog={dialog} onClose={closePersonDialog} />
        </Suspense>
      )}
    </>
  );
}

function Profile({ profile: { userId, groupId, anchor }, path }: { profile: ShownProfile; path: string }) {
  const { t } = useTranslation("members");
  const user = useUser(userId);
  const isPhone = useIsPhone();
  // Navigation closes it.
  const openedAt = useRef(path);
  useEffect(() => {
    if (path !== openedAt.current) closeProfile();
  }, [path]);
  const label = t("card.label", { name: user?.nickname ?? "" });
  const card = <ProfileCard userId={userId} groupId={groupId} />;
  if (isPhone) {
    return (
      <Dialog onClose={closeProfile} title={t("action.profile")} size="sm">
        <div className="-mx-5 -my-3">{card}</div>
      </Dialog>
    );
  }
  return (
    <AnchoredPopover
      open
      onClose={closeProfile}
      anchor={anchor}
      label={label}
      side={anchor.closest("aside") === null ? "right" : "left"}
      className="w-80"
    >
      {card}
    </AnchoredPopover>
  );
}
