import type { Emoji, EmojiKind, Group } from "@fanfare/contract";
import { EMOJI_LIMITS, LIMITS } from "@fanfare/contract/limits";
import { Ellipsis, Pencil, SmilePlus, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { isOfKind, useGroupEmoji } from "../../../data/groups.ts";
import { useUser } from "../../../data/people.ts";
import { userName } from "../../../people/members/user-name.tsx";
import { useFormats } from "../../../shared/formats.ts";
import { PictureInput } from "../../../shared/file-input.tsx";
import { formatTime } from "../../../shared/times.ts";
import { IconButton } from "../../../ui/button.tsx";
import { NameDialog } from "../../../ui/form-dialog.tsx";
import { openConfirm, openDialog } from "../../../ui/open-dialog.tsx";
import { EmptyState, Pending, SkeletonRows } from "../../../ui/feedback.tsx";
import { ListRow } from "../../../ui/list-row.tsx";
import { Menu } from "../../../ui/menu.tsx";
import { Tabs } from "../../../ui/tabs.tsx";
import { useAddEmoji } from "./add-emoji.ts";

export function EmojiPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const [kind, setKind] = useState<EmojiKind>("emoji");
  const kinds: EmojiKind[] = ["emoji", "sticker", "gif"];
  return (
    <Tabs
      label={t("emoji:kinds")}
      value={kind}
      onChange={setKind}
      tabs={kinds.map((value) => ({
        value,
        label: t(`emoji:kind.${value}`),
        content: <KindPart group={group} kind={value} />,
      }))}
    />
  );
}

/** An emoji as it is written in texts, others by name. */
const shownName = ({ kind, name }: Emoji): string => (kind === "emoji" ? `:${name}:` : name);

function KindPart({ group, kind }: { group: Group; kind: EmojiKind }) {
  const { t } = useTranslation("group-settings");
  const { bytes } = useFormats();
  const list = useGroupEmoji(group.id);
  const { progress, report, add } = useAddEmoji(group.id, kind);
  const own = list.data?.filter(isOfKind(kind));
  const { perGroup, maxBytes } = EMOJI_LIMITS[kind];
  const max = LIMITS[perGroup];
  const maxSize = bytes(maxBytes);
  const input = (
    <PictureInput
      multiple
      alsoAccept=".zip"
      disabled={progress !== null || (own?.length ?? max) >= max}
      onChoose={(...files) => void add(files)}
    >
      {t("emoji.add")}
    </PictureInput>
  );
  return (
    <div className="grid gap-5">
      <p className="text-muted">
        {kind === "emoji" ? t("emoji.text", { max: maxSize }) : t("emoji.stickerText", { max: maxSize })}
      </p>
      <Pending of={list}>
        <SkeletonRows />
      </Pending>
      {own?.length === 0 && progress === null && report === null ? (
        <EmptyState icon={SmilePlus} title={t("emoji.none")} text={t("emoji.noneText")} action={input} />
      ) : (
        own !== undefined && (
          <div className="flex flex-wrap items-center gap-3">
            {input}
            <p className="text-sm text-muted">{t("emoji.used", { used: own.length, max })}</p>
          </div>
        )
      )}
      <div role="status" className="grid gap-2 empty:hidden">
        {progress !== null && <p>{t("emoji.adding", { done: progress.done + 1, total: progress.total })}</p>}
        {report !== null && <p>{t("emoji.added", { count: report.added })}</p>}
        {report !== null && report.rejected.length > 0 && (
          <>
            <p className="text-danger-text">{t("emoji.rejected", { count: report.rejected.length })}</p>
            <ul className="grid gap-1 text-sm">
              {report.rejected.map(({ path, reason }, at) => (
                <li key={at} className="wrap-anywhere">
                  <strong className="font-medium">{path}</strong>: {reason}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      {own !== undefined && own.length > 0 && (
        <ul aria-label={t(`emoji:kind.${kind}`)} className="grid gap-px">
          {own.map((emoji) => (
            <EmojiRow key={emoji.id} emoji={emoji} />
          ))}
        </ul>
      )}
    </div>
  );
}

function EmojiRow({ emoji }: { emoji: Emoji }) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const { id, groupId, url, createdBy, createdAt } = emoji;
  const creator = useUser(createdBy);
  const name = shownName(emoji);
  const rename = () => openDialog((onClose) => <RenameDialog emoji={emoji} onClose={onClose} />);
  const remove = () =>
    openConfirm({
      danger: true,
      title: t("common:deleteTitle", { name }),
      children: t("emoji.deleteText", { name }),
      action: t("common:delete"),
      onConfirm: () => call("emoji.delete", { groupId, emojiId: id }),
    });
  return (
    <ListRow
      leading={<img src={url} alt="" loading="lazy" className="size-10 shrink-0 object-contain" />}
      title={name}
      subtitle={t("emoji.by", { name: userName(creator), date: formatTime(createdAt, "date") })}
      trailing={
        <Menu
          items={[
            { label: t("common:rename"), icon: Pencil, onSelect: rename },
            { label: t("common:delete"), icon: Trash2, danger: true, onSelect: remove },
          ]}
          trigger={<IconButton icon={Ellipsis} label={t("moreOptions", { name })} />}
        />
      }
    />
  );
}

const CODE_FIELD = {
  minLength: LIMITS.emojiNameMinChars,
  maxLength: LIMITS.emojiNameMaxChars,
  pattern: "[a-z0-9_\\-]+",
  autoCapitalize: "none",
  spellCheck: false,
} as const;

function RenameDialog({ emoji, onClose }: { emoji: Emoji; onClose: () => void }) {
  const { id, groupId, kind, name } = emoji;
  const { t } = useTranslation("group-settings");
  const call = useCall();
  return (
    <NameDialog
      onClose={onClose}
      title={t("common:renameTitle", { name: shownName(emoji) })}
      name={name}
      required
      maxLength={LIMITS.stickerNameMaxChars}
      {...(kind === "emoji" && { ...CODE_FIELD, hint: t("emoji.nameHint") })}
      takenError="EMOJI_NAME_TAKEN"
      onSave={(wanted) => call("emoji.rename", { groupId, emojiId: id, name: wanted })}
    />
  );
}
