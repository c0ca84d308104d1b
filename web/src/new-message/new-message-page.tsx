import { hasPermission } from "@fanfare/contract/permissions";
import { File as FileIcon, SquarePen } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { PageHeader } from "../app/shell/page-header.tsx";
import { useRejectionToasts } from "../composer/composer-box.tsx";
import { useUploadStore } from "../composer/uploads.ts";
import { useCall } from "../data/call.ts";
import { useServerCache } from "../data/data-context.ts";
import { useOpenDirect } from "../people/directs/use-direct.tsx";
import { landingPath } from "../routes.ts";
import { ConversationPicker } from "../search/quick-switcher/quick-switcher.tsx";
import { useFormats } from "../shared/formats.ts";
import { getDraft, setDraft } from "../state/drafts.ts";
import { Button } from "../ui/button.tsx";
import { showToast } from "../ui/feedback.tsx";
import { forgetShared, readShared, type SharedContent } from "./shared-content.ts";
import type { Conversation } from "../search/quick-switcher/use-destinations.ts";

/** Asks where to write, and puts what another app has shared into the draft there. */
export function NewMessagePage() {
  const { t } = useTranslation("new-message");
  const [, navigate] = useLocation();
  const shared = useShared();
  const write = useWrite(shared);
  const discard = () => {
    void forgetShared();
    navigate(landingPath(), { replace: true });
  };
  return (
    <>
      <PageHeader icon={SquarePen} title={t("title")} />
      <div className="column flex min-h-0 flex-1 flex-col gap-4 py-4">
        {shared !== null && <Preview shared={shared} onDiscard={discard} />}
        <ConversationPicker
          label={t("to")}
          placeholder={t("placeholder")}
          onPick={(conversation) => void write(conversation)}
        />
      </div>
    </>
  );
}

function useShared(): SharedContent | null {
  const [shared, setShared] = useState<SharedContent | null>(null);
  useEffect(() => {
    let isShown = true;
    void readShared().then((content) => isShown && setShared(content));
    return () => {
      isShown = false;
    };
  }, []);
  return shared;
}

/** @returns opens a conversation with the shared content in its message box */
function useWrite(shared: SharedContent | null): (conversation: Conversation) => Promise<void> {
  const { t } = useTranslation("new-message");
  const { store } = useServerCache();
  const call = useCall();
  const [, navigate] = useLocation();
  const openDirect = useOpenDirect();
  const uploads = useUploadStore();
  const showRejected = useRejectionToasts();

  const addToDraft = (channelId: string) => {
    if (shared === null) return;
    const texts = [getDraft(channelId), shared.text].filter((text) => text !== "");
    setDraft(channelId, texts.join("\n"));
    showRejected(uploads.add(channelId, shared.files));
    void forgetShared();
  };
  /** Unknown without a connection; then the message box tells. */
  const isReadOnly = async (groupId: string, channelId: string): Promise<boolean> => {
    const known = store.state.permissions[groupId] ?? (await call("group.myPermissions", { groupId }));
    const mine = known.channels.find((channel) => channel.channelId === channelId);
    return mine !== undefined && !hasPermission(mine.permissions, "sendMessages");
  };

  return async (conversation) => {
    if (conversation.kind === "person") return openDirect(conversation.userId, addToDraft);
    if (conversation.kind === "channel") {
      const { groupId, key, title } = conversation;
      if (await isReadOnly(groupId, key).catch(() => false))
        return showToast({ text: t("readOnly", { name: title }), tone: "danger" });
    }
    addToDraft(conversation.key);
    navigate(conversation.path, { replace: true });
  };
}

function Preview({ shared: { text, files }, onDiscard }: { shared: SharedContent; onDiscard: () => void }) {
  const { t } = useTranslation("new-message");
  const { bytes } = useFormats();
  return (
    <section aria-label={t("shared")} className="grid shrink-0 gap-2 rounded-lg bg-accent-soft p-4">
      {text !== "" && <p className="line-clamp-3 wrap-anywhere whitespace-pre-wrap">{text}</p>}
      {files.length > 0 && (
        <ul className="grid max-h-24 gap-1 overflow-y-auto text-sm">
          {files.map((file, index) => (
            <li key={index} className="flex items-center gap-2">
              <FileIcon size={16} aria-hidden className="shrink-0" />
              <span className="min-w-0 truncate">{file.name}</span>
              <span className="shrink-0 text-muted">{bytes(file.size)}</span>
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-sm text-muted">{t("sharedHint")}</p>
        <Button size="sm" variant="ghost" onClick={onDiscard}>
          {t("common:discard")}
        </Button>
      </div>
    </section>
  );
}
