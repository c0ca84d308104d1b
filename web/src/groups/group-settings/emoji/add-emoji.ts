import type { EmojiKind } from "@fanfare/contract";
import { EMOJI_LIMITS, LIMITS } from "@fanfare/contract/limits";
import i18next from "i18next";
import { useState } from "react";
import { useCall } from "../../../data/call.ts";
import { useServerCache } from "../../../data/data-context.ts";
import { isOfKind, useGroupEmoji } from "../../../data/groups.ts";
import { formatsOf } from "../../../shared/formats.ts";
import { errorText, errorTypeText } from "../../../shared/use-action.ts";
import { whenAllowed } from "../../../shared/pause.ts";
import { listZip } from "@fanfare/zip";

const PICTURE = /\.(?:png|gif|webp|jpe?g|avif)$/i;
const ZIP = /\.zip$/i;
/** Folders and files that systems add to archives. */
const HIDDEN = /(?:^|\/)(?:\.|__MACOSX\/)/;

/** The name of an emoji from that of its file: `Party Parrot.gif` becomes `party_parrot`. Null if too little is left. */
export function emojiNameOf(path: string): string | null {
  const name = path
    .replace(/^.*\//, "")
    .replace(/\.[^.]*$/, "")
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9_-]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, LIMITS.emojiNameMaxChars);
  return name.length < LIMITS.emojiNameMinChars ? null : name;
}

/** `funny/party_parrot.gif` becomes `party parrot`. */
export function stickerNameOf(path: string): string | null {
  const name = path
    .replace(/^.*\//, "")
    .replace(/\.[^.]*$/, "")
    .normalize("NFC")
    .replace(/[\s_]+/g, " ")
    .trim()
    .slice(0, LIMITS.stickerNameMaxChars);
  return name === "" ? null : name;
}

/** A chosen file, or one in a chosen archive. */
interface Candidate {
  path: string;
  bytes: number;
  /** Null: it can't be read. */
  read: (() => Promise<Blob>) | null;
}

async function candidatesOf(file: File, maxBytes: number): Promise<Candidate[]> {
  const { name, size: bytes } = file;
  if (!ZIP.test(name)) return [{ path: name, bytes, read: async () => file }];
  try {
    const entries = await listZip(file);
    return entries
      .filter(({ path }) => !HIDDEN.test(path))
      .map((entry) => ({ ...entry, read: async () => entry.read(maxBytes) }));
  } catch {
    return [{ path: name, bytes, read: null }];
  }
}

interface AddingEmoji {
  /** Null while nothing is being added. */
  progress: { done: number; total: number } | null;
  /** The result of the last time; null before the first. */
  report: { added: number; rejected: readonly { path: string; reason: string }[] } | null;
  /** Adds pictures, and those in ZIP archives. */
  add: (files: readonly File[]) => Promise<void>;
}

/** Adds pictures to a group one after the other, at the pace that the server allows. */
export function useAddEmoji(groupId: string, kind: EmojiKind): AddingEmoji {
  const { client } = useServerCache();
  const call = useCall();
  const { data: existing = [] } = useGroupEmoji(groupId);
  const nameOf = kind === "emoji" ? emojiNameOf : stickerNameOf;
  const { perGroup, maxBytes } = EMOJI_LIMITS[kind];
  const [progress, setProgress] = useState<AddingEmoji["progress"]>(null);
  const [report, setReport] = useState<AddingEmoji["report"]>(null);

  /** @returns what failed, or null */
  const upload = async (name: string, read: () => Promise<Blob>): Promise<string | null> => {
    const picture = await read().catch(() => null);
    if (picture === null) return i18next.t("group-settings:emoji.unreadable");
    try {
      const { fileId } = await whenAllowed(() => client.uploadPicture(picture));
      await whenAllowed(() => call("emoji.add", { groupId, kind, name, fileId }));
      return null;
    } catch (error) {
      return errorText(error);
    }
  };

  const add = async (files: readonly File[]): Promise<void> => {
    setReport(null);
    setProgress({ done: 0, total: files.length });
    const candidates = (await Promise.all(files.map((file) => candidatesOf(file, maxBytes)))).flat();
    const rejected: { path: string; reason: string }[] = [];
    const taken = new Set(existing.map(({ name }) => name));
    let left = LIMITS[perGroup] - existing.filter(isOfKind(kind)).length;
    for (const [done, candidate] of candidates.entries()) {
      setProgress({ done, total: candidates.length });
      const { path, read } = candidate;
      const name = nameOf(path);
      const reason = faultOf(candidate, kind, name, taken, left) ?? (await upload(name!, read!));
      if (reason === null) {
        taken.add(name!);
        left -= 1;
      } else rejected.push({ path, reason });
    }
    setProgress(null);
    setReport({ added: candidates.length - rejected.length, rejected });
  };
  return { progress, report, add };
}

/** What is wrong with a picture, as far as can be told without reading it. */
function faultOf(
  { path, bytes, read }: Candidate,
  kind: EmojiKind,
  name: string | null,
  taken: ReadonlySet<string>,
  left: number,
): string | null {
  const { perGroup, maxBytes } = EMOJI_LIMITS[kind];
  const formats = formatsOf(i18next.language);
  if (read === null) return i18next.t("group-settings:emoji.unreadable");
  if (!PICTURE.test(path)) return i18next.t("group-settings:emoji.notPicture");
  if (name === null) return i18next.t("group-settings:emoji.badName");
  if (taken.has(name)) return errorTypeText("EMOJI_NAME_TAKEN");
  if (left <= 0) return i18next.t(`shared:limit.${perGroup}`, { max: formats.count(LIMITS[perGroup]) });
  if (bytes > maxBytes) return i18next.t("group-settings:emoji.tooLarge", { max: formats.bytes(maxBytes) });
  return null;
}
