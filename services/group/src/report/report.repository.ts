import { LIMITS, type Report, type ReportOutcome } from "@fanfare/contract";
import { defineRepository, ID, newId, nullIfDuplicate, REQUIRED_ID, unavailable } from "@fanfare/kernel";
import { Schema } from "mongoose";

/** `openIn` of reports for the admins; otherwise it is the group. */
const DIRECT = "direct";

interface StoredReporter extends Omit<Report["reporters"][number], "reportedAt"> {
  reportedAt: Date;
}

/** The reports of a message: all open ones together, and closed ones until they expire. */
export interface ReportDocument extends Omit<Report, "id" | "groupId" | "sentAt" | "reporters"> {
  _id: string;
  sentAt: Date;
  reporters: StoredReporter[];
  /** The group's id or `DIRECT`; absent once closed. */
  openIn?: string;
  /** The message while the report is open, so that it has only one. */
  openId?: string;
  closedAt?: Date;
  closedBy?: string;
  outcome?: ReportOutcome;
}

const schema = new Schema<ReportDocument>(
  {
    channelId: REQUIRED_ID,
    messageId: REQUIRED_ID,
    authorId: REQUIRED_ID,
    content: { type: String, default: "" },
    fileNames: { type: [String], required: true },
    sentAt: { type: Date, required: true },
    reporters: [
      new Schema<StoredReporter>(
        {
          userId: { type: ID, default: null },
          reason: { type: String, required: true },
          details: { type: String, default: "" },
          reportedAt: { type: Date, required: true },
          content: String,
        },
        { _id: false },
      ),
    ],
    openIn: String,
    openId: ID,
    closedAt: Date,
    closedBy: ID,
    outcome: String,
  },
  { collection: "reports" },
)
  .index({ openIn: 1, _id: -1 }, { sparse: true, name: "open_newest" })
  .index({ openId: 1 }, { sparse: true, unique: true, name: "open_message" })
  .index({ channelId: 1 }, { name: "channel" })
  .index({ closedAt: 1 }, { expireAfterSeconds: LIMITS.closedReportLifetimeMs / 1000, name: "expiry" });

/** How often a report is tried again when others report the same message or a moderator closes it at the same moment. */
const MAX_TRIES = 5;

type ReportedMessage = Omit<Report, "id" | "sentAt" | "reporters"> & Pick<ReportDocument, "sentAt">;

/** Queries of the collection reports. A `groupId` of null stands for direct channels. */
export const createReportRepository = defineRepository(
  { name: "Report", schema },
  ({ model: reports, insert, update, change, removeAll }) => {
    const openIn = (groupId: string | null): string => groupId ?? DIRECT;

    return {
      /** @returns false when the user has an open report of this message */
      async add({ groupId, ...message }: ReportedMessage, reporter: StoredReporter): Promise<boolean> {
        const { messageId, content } = message;
        for (let tries = 0; tries < MAX_TRIES; tries += 1) {
          const open = await reports.findOne({ openId: messageId }).lean();
          if (open === null) {
            const first = { _id: newId(), ...message, reporters: [reporter] };
            const opened = { ...first, openIn: openIn(groupId), openId: messageId };
            if ((await nullIfDuplicate(insert(opened))) !== null) return true;
            continue;
          }
          if (open.reporters.some(({ userId }) => userId === reporter.userId)) return false;
          if (open.reporters.length >= LIMITS.reportersPerMessage) return true;
          const asOpened = {
            openId: messageId,
            "reporters.userId": { $ne: reporter.userId },
            [`reporters.${LIMITS.reportersPerMessage - 1}`]: { $exists: false },
          };
          const added = content === open.content ? reporter : { ...reporter, content };
          if (await update(asOpened, { $push: { reporters: added } })) return true;
        }
        throw unavailable();
      },

      /** Newest first. */
      listOpen: (groupId: string | null, limit: number, beforeId?: string): Promise<ReportDocument[]> =>
        reports
          .find({ openIn: openIn(groupId), ...(beforeId !== undefined && { _id: { $lt: beforeId } }) })
          .sort({ _id: -1 })
          .limit(limit)
          .lean(),

      /** The channel of each open report. */
      async listOpenChannelIds(groupId: string | null, limit: number): Promise<string[]> {
        const found = await reports
          .find({ openIn: openIn(groupId) }, { channelId: 1 })
          .limit(limit)
          .lean();
        return found.map(({ channelId }) => channelId);
      },

      findOpen: (groupId: string | null, _id: string): Promise<ReportDocument | null> =>
        reports.findOne({ _id, openIn: openIn(groupId) }).lean(),

      /** @returns null when it is closed already */
      close: (_id: string, closedBy: string, outcome: ReportOutcome): Promise<ReportDocument | null> =>
        change(
          { _id, openIn: { $exists: true } },
          { $set: { closedAt: new Date(), closedBy, outcome }, $unset: { openIn: 1, openId: 1 } },
        ),

      /** @returns the groups that had open ones; null for direct channels */
      async removeOfChannels(channelIds: readonly string[]): Promise<(string | null)[]> {
        const of = { channelId: { $in: channelIds } };
        const open = await reports.find({ ...of, openIn: { $exists: true } }, { openIn: 1 }).lean();
        await removeAll(of);
        const places = new Set(open.map((report) => report.openIn!));
        return [...places].map((place) => (place === DIRECT ? null : place));
      },
    };
  },
);

export function presentReport(report: ReportDocument): Report {
  const { _id, openIn = DIRECT, channelId, messageId, authorId, content, fileNames } = report;
  return {
    id: _id,
    groupId: openIn === DIRECT ? null : openIn,
    channelId,
    messageId,
    authorId,
    content,
    fileNames,
    sentAt: report.sentAt.toISOString(),
    reporters: report.reporters.map(({ reportedAt, ...reporter }) => ({
      ...reporter,
      reportedAt: reportedAt.toISOString(),
    })),
  };
}
