import type { ChatImport, ImportedKind, ImportNote } from "@fanfare/contract";
import type { Destination } from "./import-record.ts";
import type { Match } from "./import-steps.ts";

type MatchedBy = NonNullable<NonNullable<ChatImport["report"]>["matches"]>["by"];

/** The existing accounts that users of an export become, and what was compared. */
export interface Matches {
  by: MatchedBy;
  accounts: readonly Match[];
}

/** @param emails all that the export has */
export const matchedBy = (emails: ReadonlyMap<string, string>): MatchedBy =>
  emails.size > 0 ? "address" : "username";

const MATCHED_BY: Record<MatchedBy, string> = {
  address: "by verified address",
  username: "by username, because the export has no addresses: anyone can have registered a username",
};

const IMPORTED: Record<ImportedKind, string> = {
  users: "users",
  channels: "channels",
  privateChannels: "private channels",
  threads: "threads",
  messages: "messages",
  reactions: "reactions",
  pins: "pins",
  files: "files",
  directConversations: "direct conversations",
  directMessages: "direct messages",
  newAccounts: "new accounts",
  possibleAccounts: "users who get an account if they have none",
};

/** What is left out or changed, and why. The administration page has these texts in other languages. */
const NOTES: Record<ImportNote, [what: string, why: string]> = {
  alreadyImported: ["messages that were already imported", "they stay as they are here"],
  deletedHere: ["messages that were deleted here", "they don't come back"],
  changedHere: [
    "messages of private channels and group DMs with other members here",
    "people who aren't in them in the export could read them",
  ],
  channels: ["channels", "a group has a maximum, which counts its sections"],
  channelsLeftOut: ["messages of channels that were left out", "see above"],
  otherTeams: ["channels of other teams", "import one team at a time, with --team"],
  largePrivateChannels: ["members of large private channels", "a channel has a maximum of overrides"],
  pluginPanels: ["panels of plug-ins", "only text channels are imported"],
  supportRooms: ["support conversations", "only channels and direct messages are imported"],
  directsLeftOut: ["direct messages", "files of groups don't have them, or --without-direct-messages is set"],
  directsWithoutAccount: ["direct conversations without an account", "none of their members has one here"],
  largeDirects: ["large direct conversations", "they have more members than a group DM can have"],
  directsOverLimit: ["direct conversations over the limit", "one of their members has the maximum"],
  joins: ["joins and leaves", "members are listed instead"],
  notices: ["notices about channels", "only messages are imported"],
  unidentified: ["entries without an ID, name or author", "they cannot be imported"],
  untimed: ["messages without a time", "they cannot be sorted"],
  duplicates: ["messages that the export has twice", "each was imported once"],
  encrypted: ["encrypted messages", "only their members have the keys"],
  emptyMessages: ["empty messages", "they have no text, file or link"],
  longMessages: ["long messages", "split into several messages"],
  invalidMessages: ["messages", "they have values that cannot be stored"],
  orphanReplies: ["replies in channels", "the first message of their thread is missing"],
  broadcasts: ["replies also sent to the channel", "they are only in their thread"],
  oldPins: ["older pins", "a channel has a maximum"],
  unknownReactions: ["reactions of unknown users", "the export has only their number"],
  tooManyReactions: ["reactions over the limit", "a message has a maximum of different ones"],
  noEmoji: ["reactions that are not emoji", "the name of a custom emoji has 2-32 of a-z, 0-9, '_' and '-'"],
  customEmoji: ["custom emoji", "add them in the settings of the group: messages keep their names"],
  filesLeftOut: ["files", "messages have their names or links"],
  linkedFiles: ["missing files", "the export doesn't have them, and messages link to the old server"],
  missingFiles: ["missing files", "the export doesn't have them, and messages have their names"],
  deletedFiles: ["deleted files", "the export has only their number"],
  emptyFiles: ["empty files", "messages have their names"],
  largeFiles: ["large files", "they are larger than FILE_MAX_BYTES, and messages have their names"],
  damagedFiles: ["damaged files", "their content can't be read, and messages have their names"],
  filesOverQuota: ["files over the quota", "the instance has no space left for files"],
  renamedAccounts: ["usernames of new accounts", "they are taken, or have other characters"],
  unusedAddresses: ["addresses of new accounts", "another account has them, or they are invalid"],
  unverifiedMatches: [
    "accounts that an earlier import matched by username",
    "they haven't verified the address in the export, so they are no longer matched",
  ],
  formerMembers: ["members who have left the group here", "they are not added again"],
};

/** What an import has made, and what it has left out or changed, with the reason. */
export class Report {
  readonly #imported = new Map<ImportedKind, number>();
  readonly #notes = new Map<ImportNote, number>();
  /** null: unknown. */
  destination: Destination | null = null;
  /** null: none are matched, or it isn't known. */
  matches: Matches | null = null;

  add(kind: ImportedKind, count = 1): void {
    if (count !== 0) this.#imported.set(kind, (this.#imported.get(kind) ?? 0) + count);
  }

  replace(counts: Partial<Record<ImportedKind, number>>): void {
    for (const [kind, count] of Object.entries(counts) as [ImportedKind, number][]) {
      this.#imported.delete(kind);
      this.add(kind, count);
    }
  }

  note(code: ImportNote, count = 1): void {
    if (count !== 0) this.#notes.set(code, (this.#notes.get(code) ?? 0) + count);
  }

  /**
   * Codes with their English texts.
   * @param maxMatches listed
   */
  present(maxMatches = Number.POSITIVE_INFINITY): {
    destination: Destination | null;
    matches: (Matches & { count: number; accounts: Match[] }) | null;
    imported: { code: ImportedKind; what: string; count: number }[];
    notes: { code: ImportNote; what: string; count: number; why: string }[];
  } {
    const { matches } = this;
    return {
      destination: this.destination,
      matches: matches && {
        by: matches.by,
        count: matches.accounts.length,
        accounts: matches.accounts.slice(0, maxMatches),
      },
      imported: [...this.#imported].map(([code, count]) => ({ code, what: IMPORTED[code], count })),
      notes: [...this.#notes].map(([code, count]) => {
        const [what, why] = NOTES[code];
        return { code, what, count, why };
      }),
    };
  }

  toJSON() {
    const { imported, ...rest } = this.present();
    return { imported: Object.fromEntries(imported.map(({ what, count }) => [what, count])), ...rest };
  }

  /** @param isDone whether something was imported */
  toText(isDone: boolean): string {
    const { imported, notes } = this.present();
    const isLater = (this.destination?.groupId ?? null) !== null;
    // What the group has already is only known after the import.
    const heading = isDone ? "Imported:" : isLater ? "In the export:" : "Would be imported:";
    return [
      ...this.#destinationText(isDone),
      isDone && imported.length === 0 ? "Nothing new was imported." : heading,
      ...aligned(imported.map(({ what, count }) => [String(count), what])),
      ...(notes.length === 0 ? [] : ["", "Left out or changed:"]),
      ...aligned(notes.map(({ what, count, why }) => [String(count), what, why])),
      ...this.#matchesText(isDone),
    ].join("\n");
  }

  #matchesText(isDone: boolean): string[] {
    if (this.matches === null) return [];
    const { by, accounts } = this.matches;
    const noun = accounts.length === 1 ? "account" : "accounts";
    return [
      "",
      `${isDone ? "Matched" : "Would match"} ${accounts.length} existing ${noun} (${MATCHED_BY[by]})${accounts.length === 0 ? "." : ":"}`,
      ...matchLines(accounts),
    ];
  }

  #destinationText(isDone: boolean): string[] {
    if (this.destination === null) return [];
    const { groupId, name } = this.destination;
    const shown = printable(name);
    return groupId === null
      ? [`${isDone ? "Made" : "Makes"} a new group: ${shown}`, ""]
      : [
          isDone
            ? `Added to group ${groupId}: ${shown}`
            : `Adds to group ${groupId}: ${shown} (with --into ${groupId})`,
          "",
        ];
  }
}

/** Would be interpreted by the terminal, and texts can quote the export. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Without characters that a terminal would interpret. */
export const printable = (text: string): string => text.replaceAll(CONTROLS, "\u{fffd}");

export const matchLines = (accounts: readonly Match[]): string[] =>
  accounts.map(({ name, username }) => `  ${printable(name)} is ${username}`);

/** Numbers are aligned to the right, texts to the left. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, index) => Math.max(most[index] ?? 0, cell.length)),
    [],
  );
  return rows.map((row) => {
    const cells = row.map((cell, index) =>
      index === 0 ? cell.padStart(widths[index]!) : cell.padEnd(widths[index]!),
    );
    return `  ${cells.join("  ").trimEnd()}`;
  });
}
