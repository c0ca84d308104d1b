import { Bell, CheckCheck, Ellipsis, Inbox, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useCall } from "../../data/call.ts";
import { useInbox, useInboxUnreadCount } from "../../data/inbox.ts";
import { settingsPath } from "../../routes.ts";
import { useAction } from "../../shared/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { InboxList } from "./inbox-list.tsx";
import { markEverythingRead } from "./mark-everything-read.ts";
import { RequestList } from "./request-list.tsx";

/** What concerns the user: who has mentioned or answered them, and who asks to be a friend. */
export function InboxPage() {
  const { t } = useTranslation("inbox");
  const call = useCall();
  const [, navigate] = useLocation();
  const { error, busy, run } = useAction();
  const [isClearing, setClearing] = useState(false);
  const [tab, setTab] = useState("unread");
  const { data: items = [] } = useInbox();
  const { data: unread = 0 } = useInboxUnreadCount();
  const newestId = items[0]?.message.id;
  return (
    <>
      <PageHeader
        icon={Inbox}
        title={t("title")}
        actions={
          <>
            <Button
              size="sm"
              busy={busy}
              disabled={unread === 0 || newestId === undefined}
              icon={<CheckCheck size={16} aria-hidden />}
              onClick={() => void run(() => call("inbox.markRead", { messageId: newestId! }))}
            >
              {t("markRead")}
            </Button>
            <Menu
              align="end"
              trigger={<IconButton icon={Ellipsis} label={t("more")} tooltipSide="bottom" />}
              items={[
                {
                  label: t("markEverything"),
                  icon: CheckCheck,
                  onSelect: () => void run(() => markEverythingRead(call)),
                },
                {
                  label: t("settings"),
                  icon: Bell,
                  onSelect: () => navigate(settingsPath("notifications")),
                },
                "separator",
                {
                  label: t("clear"),
                  icon: Trash2,
                  danger: true,
                  disabled: newestId === undefined,
                  onSelect: () => setClearing(true),
                },
              ]}
            />
          </>
        }
      />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto grid max-w-3xl gap-4 p-4 pb-[max(1rem,env(safe-area-inset-bottom))]">
          <ErrorNote text={error} />
          <RequestList />
          <Tabs
            label={t("title")}
            value={tab}
            onChange={setTab}
            tabs={[
              { value: "unread", label: t("tab.unread"), content: <InboxList onlyUnread /> },
              { value: "all", label: t("tab.all"), content: <InboxList onlyUnread={false} /> },
            ]}
          />
        </div>
      </div>
      <ConfirmDialog
        open={isClearing}
        onClose={() => setClearing(false)}
        title={t("clearTitle")}
        action={t("clear")}
        danger
        onConfirm={() => call("inbox.clear", { messageId: newestId! })}
      >
        {t("clearText")}
      </ConfirmDialog>
    </>
  );
}
