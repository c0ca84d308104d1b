import { z } from "zod";
import { entity, id, time } from "./primitives.ts";
import { UserSchema } from "./user.ts";

/** A user as shown to admins. */
export const AdminUserSchema = UserSchema.extend({
  email: z.string().nullable(),
  admin: z.boolean(),
  totpEnabled: z.boolean().describe("whether a login asks for a code"),
  disabledAt: time.nullable().describe("null if the account is enabled"),
}).meta({ id: "AdminUser" });
export type AdminUser = z.output<typeof AdminUserSchema>;

export const AdminAuditEntrySchema = entity("AdminAuditEntry", {
  id,
  actorId: id.nullable().describe("null: the identity provider, by SCIM"),
  address: z.string().nullable().describe("the client's IP address; null by socket"),
  action: z.string().describe("the name of the action"),
  params: z.unknown().describe("the params of the call"),
  outcome: z
    .string()
    .describe("done, or the error; begun: still running, or the server stopped before the outcome was known"),
  createdAt: time,
});
export type AdminAuditEntry = z.output<typeof AdminAuditEntrySchema>;

export const LegalHoldSchema = entity("LegalHold", {
  id,
  userId: id,
  name: z.string().describe("the name of the user when the hold began, also after the account was deleted"),
  reason: z.string(),
  startedBy: id,
  startedAt: time,
  endedBy: id.nullable(),
  endedAt: time.nullable().describe("null: what is deleted is kept"),
});
export type LegalHold = z.output<typeof LegalHoldSchema>;

const dayCount = z.int().nullable();

/** Numbers of one day; null: not counted. */
export const DayStatsSchema = entity("DayStats", {
  day: z.iso.date().describe("in UTC"),
  messages: dayCount.describe("sent on that day, deleted ones included"),
  activeUsers: dayCount.describe("users and guests who were connected on that day"),
  newUsers: dayCount.describe("accounts and guests created on that day"),
  fileBytes: dayCount.describe("size of all files at the end of the day"),
});
export type DayStats = z.output<typeof DayStatsSchema>;

export const DeadJobSchema = entity("DeadJob", {
  id,
  kind: z.string().describe("type of the job, such as mail.send"),
  key: z.string().describe("identifies the job; unique within its kind"),
  tries: z.int(),
  lastError: z.string(),
  createdAt: time,
  deadAt: time.describe("when it failed for the last time; it is deleted 90 days later"),
});
export type DeadJob = z.output<typeof DeadJobSchema>;

export const chatOrigin = z.enum(["slack", "discord", "mattermost", "rocketchat", "tailchat"]);
const importedKind = z.enum([
  "users",
  "channels",
  "privateChannels",
  "threads",
  "messages",
  "reactions",
  "pins",
  "files",
  "directConversations",
  "directMessages",
  "newAccounts",
  "possibleAccounts",
]);
export type ImportedKind = z.output<typeof importedKind>;
/** What an import leaves out or changes. */
const importNote = z.enum([
  "alreadyImported",
  "deletedHere",
  "changedHere",
  "formerMembers",
  "channels",
  "channelsLeftOut",
  "otherTeams",
  "largePrivateChannels",
  "pluginPanels",
  "supportRooms",
  "directsLeftOut",
  "directsWithoutAccount",
  "largeDirects",
  "directsOverLimit",
  "joins",
  "notices",
  "unidentified",
  "untimed",
  "duplicates",
  "encrypted",
  "emptyMessages",
  "longMessages",
  "invalidMessages",
  "orphanReplies",
  "broadcasts",
  "oldPins",
  "unknownReactions",
  "tooManyReactions",
  "noEmoji",
  "customEmoji",
  "filesLeftOut",
  "linkedFiles",
  "missingFiles",
  "deletedFiles",
  "emptyFiles",
  "largeFiles",
  "damagedFiles",
  "filesOverQuota",
  "renamedAccounts",
  "unusedAddresses",
  "unverifiedMatches",
]);
export type ImportNote = z.output<typeof importNote>;
const importFailure = z.enum([
  "unreadable",
  "chooseTeam",
  "noSpace",
  "channelLimit",
  "otherDestination",
  "ownerRefused",
  "accountsRefused",
  "uploadMissing",
  "serverFailed",
]);
export type ImportFailure = { code: z.output<typeof importFailure>; details?: Record<string, string> };
const code = "absent in reports of earlier versions";
export const ChatImportSchema = entity("ChatImport", {
  id,
  byUserId: id.describe("the admin who uploaded the export"),
  origin: chatOrigin,
  fileName: z.string(),
  bytes: z.int(),
  state: z
    .enum(["uploading", "checking", "checked", "importing", "done", "failed"])
    .describe("checked: the report says what would be imported; done: it says what was imported"),
  step: z
    .enum(["opening", "reading", "storing"])
    .nullable()
    .describe("of a check or an import that is running; opening: the export is copied and unpacked"),
  messages: z.int().describe("read or stored so far, by the step"),
  files: z.int().describe("stored so far"),
  report: z
    .object({
      destination: z
        .object({ groupId: id.nullable().describe("null: a new group"), name: z.string() })
        .nullish()
        .describe("the group that the messages are added to, or that is made"),
      imported: z.array(
        z.object({ code: importedKind.optional().describe(code), what: z.string(), count: z.int() }),
      ),
      notes: z
        .array(
          z.object({
            code: importNote.optional().describe(code),
            what: z.string(),
            count: z.int(),
            why: z.string(),
          }),
        )
        .describe("what is left out or changed, in English"),
      matches: z
        .object({
          by: z.enum(["address", "username"]).describe("username: the export has no addresses"),
          count: z.int(),
          accounts: z
            .array(z.object({ name: z.string().describe("in the export"), username: z.string() }))
            .describe("the first 100"),
        })
        .nullish()
        .describe("the existing accounts that users become, or would become with matchUsernames"),
    })
    .nullable(),
  accounts: z.int().describe("members in the export who get an account, if those without one do"),
  error: z.string().nullable().describe("why it failed, in English"),
  failure: z
    .object({
      code: importFailure,
      details: z.record(z.string(), z.string()).optional().describe("names and numbers in the reason"),
    })
    .nullable()
    .describe("why it failed, for programs; null in imports of earlier versions"),
  groupId: id.nullable().describe("the group, when it is done"),
  createdAt: time,
});
export type ChatImport = z.output<typeof ChatImportSchema>;

export const MaintenanceSchema = entity("Maintenance", {
  enabled: z.boolean(),
  message: z.string().describe("for people; empty when there is none"),
});
export type Maintenance = z.output<typeof MaintenanceSchema>;

const amount = z.number().min(0);

/** Metrics of one gateway over a few seconds. */
export const GatewayStepSchema = entity("GatewayStep", {
  endedAtMs: z.int(),
  durationMs: amount,
  connections: z.int(),
  messages: z.int(),
  deliveries: z.int(),
  fanout: z
    .array(z.tuple([amount, z.int()]))
    .describe("number of publications (batched ones count once) per latency bucket, in milliseconds"),
  fanoutMaxMs: amount,
  eventLoopDelayMs: amount,
  memoryBytes: z.int(),
});
export type GatewayStep = z.output<typeof GatewayStepSchema>;

export const MetricsStepSchema = entity("MetricsStep", {
  endedAt: time,
  connections: z.int().describe("sockets at the end of the step"),
  messagesPerSecond: amount.describe("stored messages from clients, bots and webhooks"),
  deliveriesPerSecond: amount.describe("events written to sockets by publications"),
  fanoutMs: z
    .object({
      p50: amount,
      p99: amount,
      p100: amount,
    })
    .nullable()
    .describe(
      "From the publication of an event (for a message, after it is stored) to the write to the last socket of a gateway. " +
        "Excludes storage and the network to the clients. p50 and p99 are interpolated within buckets; null: nothing was published",
    ),
  eventLoopDelayMs: amount.describe("maximum event loop delay of a gateway"),
  memoryBytes: z.int().describe("of the gateway processes"),
});
export type MetricsStep = z.output<typeof MetricsStepSchema>;
