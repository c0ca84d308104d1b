/**
 * Every limit of the platform. Sizes carry their unit in the name; "chars" are UTF-16 code units, as `String.length` counts.
 */
export const LIMITS = {
  usernameMinChars: 3,
  usernameMaxChars: 32,
  nicknameMaxChars: 32,
  /** Combining marks on one character of a name. */
  marksPerCharacter: 4,
  /** Long enough for a passphrase; the upper bound keeps the cost of one hash bounded. */
  passwordMinChars: 8,
  passwordMaxChars: 128,
  emailMaxChars: 254,
  mailDomainMaxChars: 253,
  /** Domains that new accounts can be restricted to. */
  mailDomainsPerInstance: 100,
  /** Bounds of the policy that ends sessions. */
  sessionMaxHours: 365 * 24,
  /** More than the lifetime of an access token. */
  sessionIdleMinMinutes: 30,
  sessionIdleMaxMinutes: 30 * 24 * 60,
  /** How often gateways report which sessions are used. */
  sessionUseReportMs: 5 * 60_000,
  sessionsPerReport: 1000,
  bioMaxChars: 300,
  customStatusMaxChars: 100,
  /** Of a second factor: six digits, or a recovery code. */
  codeMaxChars: 32,
  /** Of the random token in a link or a login. */
  secretMaxChars: 128,
  groupNameMaxChars: 100,
  /** Of this instance. */
  instanceNameMaxChars: 40,
  landingTextMaxChars: 500,
  channelNameMaxChars: 100,
  messageMaxChars: 10_000,
  /** Each edit permanently stores the earlier text and a number with the message. */
  editsPerMessage: 1000,
  /** Edits, pins, previews and batches of reactions of one message: each permanently stores a number with it. */
  changesPerMessage: 4000,
  /** Mentions that are parsed in one text; further ones are plain text. */
  mentionsPerMessage: 50,
  /** Keys of one lookup of mentions: a user, with their roles and groups. */
  mentionKeysPerLookup: 500,
  /** Further mentions of one channel are not counted. */
  mentionsCounted: 100,
  /** A page of `channel.listUnread`; the last group of a page can exceed it. */
  channelsPerUnreadPage: 1000,
  notificationSettingsPerUser: 2000,
  keywordsPerUser: 20,
  keywordMinChars: 2,
  keywordMaxChars: 50,
  timeZoneMaxChars: 64,
  unsubscribeTokenMaxChars: 100,
  /** Members considered for push notifications of one @everyone or role mention; others get none. */
  membersPerMentionPush: 20_000,
  /** Threads with unread counts for a user: those that they most recently took part in. */
  threadsFollowedPerUser: 100,
  /** Since the user last created it, wrote in it or was mentioned in it. */
  threadFollowedMs: 90 * 24 * 60 * 60 * 1000,
  attachmentsPerMessage: 10,
  /** Of a voice message. */
  recordingMaxMs: 5 * 60 * 1000,
  /** Parts of a recording whose loudness is shown. */
  recordingPeaks: 64,
  embedsPerMessage: 5,
  embedTitleMaxChars: 256,
  embedDescriptionMaxChars: 1000,
  urlMaxChars: 2048,
  cardsPerMessage: 10,
  fieldsPerCard: 25,
  /** The texts of all cards of a message together, and their URLs together. */
  cardsMaxChars: 6000,
  cardUrlsMaxChars: 6000,
  cardTextMaxChars: 4000,
  cardFieldMaxChars: 1024,
  /** Titles, authors, names of fields, footers. */
  cardLineMaxChars: 256,
  /** Buttons, links and selects. */
  controlsPerMessage: 25,
  optionsPerSelect: 25,
  /** Also of the value of an option. */
  controlIdMaxChars: 100,
  controlLabelMaxChars: 80,
  /** The labels, ids, values and URLs of all controls of a message together. */
  controlsMaxChars: 6000,
  pollOptions: 10,
  pollOptionMaxChars: 100,
  /** How far ahead the end of a poll can be. */
  pollMaxMs: 90 * 24 * 60 * 60 * 1000,
  /** Different emoji on one message. */
  reactionsPerMessage: 20,
  /** Users that a message lists with each of its reactions. */
  reactionUsersShown: 10,
  /** Further users who have read a message are not counted. */
  readersCounted: 1000,
  emojiMaxChars: 64,
  /** Of a group's own. */
  emojiNameMinChars: 2,
  emojiNameMaxChars: 32,
  emojiPerGroup: 100,
  /** As it is uploaded, and as it is stored. */
  emojiMaxBytes: 256_000,
  /** The longer side, as it is shown. */
  emojiSidePixels: 128,
  stickerNameMaxChars: 100,
  stickersPerGroup: 100,
  stickerMaxBytes: 512_000,
  /** Twice the longer side, as it is shown. */
  stickerSidePixels: 320,
  gifsPerGroup: 100,
  gifMaxBytes: 4_000_000,
  /** As it is shown. */
  gifWidthPixels: 320,
  gifHeightPixels: 240,
  pinsPerChannel: 50,
  /** Users in one call. */
  callParticipants: 100,
  /** Further users in a call are only counted. */
  callParticipantsShown: 25,
  /** Ongoing calls. */
  callsPerGroup: 100,
  /** Calls in one answer of `call.list`. */
  callsListed: 200,
  callRingSeconds: 45,
  /** How often clients report that their user speaks in a call, at most. */
  speakingIntervalMs: 2000,
  /** A speaker who isn't reported again is silent after this time. */
  speakingExpiresInMs: 6000,
  usersPerRing: 20,
  /** Of the signature of a webhook. */
  livekitTokenMaxChars: 4096,
  /** Beyond this number, the draft that was changed first is dropped. */
  draftsPerUser: 50,
  /** Longer than a message, so that text over the limit isn't lost. */
  draftMaxChars: 12_000,
  savedPerUser: 500,
  savedPageMaxItems: 25,
  reportDetailsMaxChars: 500,
  /** Further reports of the same message are accepted, but not stored. */
  reportersPerMessage: 50,
  reportsPageMaxItems: 25,
  /** Further open reports are not counted. */
  reportsCounted: 100,
  /** Closed reports are deleted after this long. */
  closedReportLifetimeMs: 90 * 24 * 60 * 60 * 1000,
  scheduledPerUser: 100,
  scheduleMaxMs: 120 * 24 * 60 * 60 * 1000,
  searchTextMaxChars: 200,
  searchPageMaxItems: 50,
  /** Of a message beside a found one. */
  excerptMaxChars: 200,
  savedSearchesPerUser: 20,
  /** With its filters. */
  savedSearchMaxChars: 300,
  templatesPerUser: 50,
  templateNameMaxChars: 50,
  /** Names and texts of all templates of a user together: they come with the user's own profile. */
  templatesMaxChars: 16_000,
  fileNameMaxChars: 255,
  /** Exports of other chat servers that are uploaded or imported at a time. */
  chatImports: 10,
  /** Of an export with its files. */
  exportMaxBytes: 50 * 1024 ** 3,
  /** Unfinished uploads. */
  uploadsPerUser: 10,
  /** The longest duration of an upload. */
  uploadLifetimeMs: 60 * 60 * 1000,
  /** Files that are not attached to a message. */
  unclaimedFileLifetimeMs: 24 * 60 * 60 * 1000,
  /** Of all frames together. Larger images are rejected before decoding. */
  imageMaxPixels: 50_000_000,
  /** The longer side. */
  thumbnailMaxPixels: 640,
  /** Of a profile or a group, as it is uploaded. */
  pictureMaxBytes: 8 * 1024 * 1024,
  /** Both sides, as it is shown. */
  pictureSidePixels: 256,
  /** For file URLs in channels that the whole group can see; in private channels, removed members lose access sooner. */
  fileUrlLifetimeMs: 60 * 60 * 1000,
  privateFileUrlLifetimeMs: 10 * 60 * 1000,
  exportedFileUrlLifetimeMs: 24 * 60 * 60 * 1000,
  nonceMaxChars: 64,
  refreshTokenMaxChars: 512,

  /** A socket joins one room for each of its groups at login, so this bounds the cost of a login. */
  groupsPerUser: 200,
  channelsPerGroup: 500,
  /** Archived threads don't count. */
  threadsPerChannel: 1000,
  invitesPerGroup: 100,
  /** Addresses that one call invites. */
  emailInvitesPerCall: 20,
  /** In `emailInviteWindowMs`, also those that were revoked or not delivered. */
  emailInvitesPerUser: 50,
  emailInvitesPerGroup: 100,
  /** Also in `emailInviteWindowMs`, from all groups together. */
  emailInvitesPerMailbox: 3,
  /** A group emails an address once in this time. */
  emailInviteWindowMs: 24 * 60 * 60 * 1000,
  emailInviteLifetimeMs: 7 * 24 * 60 * 60 * 1000,
  joinRequestsPerGroup: 1000,
  /** Pending ones. */
  joinRequestsPerUser: 20,
  /** Pending and rejected ones of a user. */
  joinRequestsListed: 100,
  /** Maximum in one approval or rejection. */
  joinRequestsPerCall: 50,
  joinRequestMessageMaxChars: 300,
  /** Requests that no moderator answers are deleted after this long. */
  joinRequestLifetimeMs: 30 * 24 * 60 * 60 * 1000,
  /** How long a rejected user can't ask again. */
  joinRequestRejectedMs: 24 * 60 * 60 * 1000,
  /** Joins within `raidWindowMs` that a group can choose as its limit. */
  raidLimitMin: 2,
  raidLimitMax: 100,
  raidWindowMs: 10 * 60 * 1000,
  lockdownMs: 60 * 60 * 1000,
  sessionsPerUser: 50,
  /** Direct messages and group DMs. At the limit, others can still open a direct message with the user. */
  directChannelsPerUser: 1000,
  membersPerGroupDirect: 10,
  friendsPerUser: 1000,
  /** Received and sent requests, each. */
  friendRequestsPerUser: 100,
  recoveryCodesPerUser: 10,
  passkeysPerUser: 20,
  passkeyNameMaxChars: 64,
  /** Of each part of what a browser returns for a passkey, such as its ID or its public key, in base64url. */
  passkeyPartMaxChars: 4096,
  /** From the start of a login or an addition until the browser's answer: people have to find their device. */
  passkeyChallengeLifetimeMs: 5 * 60 * 1000,
  /** Failed logins with one name in `passwordGuessWindowMs`, from all clients: an account has two, its username and its email address. */
  loginsPerName: 25,
  /** Of these, from one address. Each device that has logged in with the name before has its own limit of the same size, so that others can't lock it out. */
  loginsPerNameAndAddress: 10,
  /** Failed logins and confirmations of one entry of an LDAP directory in `passwordGuessWindowMs`, by whichever name. */
  directoryGuesses: 20,
  /** Wrong passwords in confirmations by a logged-in user, in `passwordGuessWindowMs`. */
  passwordGuesses: 20,
  passwordGuessWindowMs: 10 * 60 * 1000,
  /** Wrong codes of an account's second factor in `totpGuessWindowMs`, from all clients. */
  totpGuesses: 5,
  totpGuessWindowMs: 15 * 60 * 1000,
  passwordResetLifetimeMs: 60 * 60 * 1000,
  /** Of the link to set the first password of an account that an admin has created. */
  invitationLifetimeMs: 7 * 24 * 60 * 60 * 1000,
  emailVerificationLifetimeMs: 24 * 60 * 60 * 1000,
  /** Of the setup link for the first admin, in production. */
  setupLinkLifetimeMs: 24 * 60 * 60 * 1000,
  /** An address that its account never verified is removed from the account after this long. */
  unverifiedEmailLifetimeMs: 30 * 24 * 60 * 60 * 1000,
  /** How recent an OIDC login must be to confirm an action of an account without a password. */
  freshLoginMs: 5 * 60 * 1000,
  /** From the provider's redirect until the page exchanges the code, including the time to open an authenticator app. */
  oidcCodeLifetimeMs: 5 * 60 * 1000,
  /** Their ids are stored in one document. */
  adminsPerInstance: 100,
  /** Those that have not ended. */
  legalHoldsPerInstance: 1000,
  noticeMaxChars: 1000,
  exportCursorMaxChars: 512,
  blockedPerUser: 1000,
  userAgentMaxChars: 256,
  /** Shorter prefixes would match half of all users. */
  searchMinChars: 2,
  usersPerSearch: 20,

  /** Users whose presence one socket can watch; each is a room. */
  watchedUsersPerSocket: 500,
  /** Watches expire, so that a user who no longer shares a group or channel stops receiving updates. */
  watchLifetimeMs: 10 * 60 * 1000,
  /** Changes in one report of a gateway. */
  usersPerPresenceReport: 1000,
  /** A typing indicator without renewal ends after this time. */
  typingExpiresInMs: 6000,
  /** Typing in a channel is published at most this often per user. */
  typingIntervalMs: 3000,

  /**
   * Approximate bytes of JSON in one result: a page ends before the item that would exceed it, but has at least one item. Lists
   * without pages are limited by the number of items instead.
   */
  answerMaxBytes: 1024 * 1024,
  pageMaxItems: 100,
  usersPerLookup: 100,
  exportedUsersPerLookup: 500,
  channelsPerSync: 100,
  /** A client that is further behind than this reloads the newest page instead. */
  changesPerSync: 200,
  /** The same for all channels of one sync together, which limits the size of the result. */
  changesPerSyncCall: 1000,

  inviteMaxUses: 100_000,
  inviteMaxAgeMs: 30 * 24 * 60 * 60 * 1000,
  muteMaxDurationMs: 365 * 24 * 60 * 60 * 1000,

  membersPerGroup: 500_000,
  /** Of a group's members who have a nickname or a picture there. */
  nicknamesListed: 1000,
  /** Joins and departures. */
  memberChangesListed: 100,
  rolesPerGroup: 100,
  /** A socket joins one room for each of its user's roles at login. */
  rolesPerMember: 30,
  /** They are loaded with the channel for every permission check. */
  overridesPerChannel: 100,
  roleNameMaxChars: 100,
  topicMaxChars: 1024,
  groupDescriptionMaxChars: 1000,
  reasonMaxChars: 512,
  wordsPerFilter: 200,
  retentionMaxDays: 3650,
  channelsPerRetentionPage: 200,
  filteredWordMaxChars: 50,
  /** Hosts that a rule about links allows. */
  hostsPerRule: 100,
  hostMaxChars: 253,
  /** Messages with the same text are counted for this long. */
  repeatWindowMs: 10 * 60 * 1000,
  repeatsMax: 10,
  newAccountMaxHours: 30 * 24,
  slowModeMaxSeconds: 6 * 60 * 60,
  /** Retention of a group's audit log. */
  groupAuditLifetimeMs: 90 * 24 * 60 * 60 * 1000,

  botsPerGroup: 50,
  /** `fbot.`, an id and a secret. */
  botTokenMaxChars: 128,
  callbackSecretMinChars: 16,
  commandsPerBot: 50,
  commandNameMaxChars: 32,
  optionsPerCommand: 10,
  /** Invocations waiting for delivery by callback. */
  invocationsPerBot: 1000,
  /** How long a bot can take to acknowledge a pressed button. */
  interactionTimeoutMs: 3000,
  /** How long after a command, a pressed button or a submitted modal the bot can open a modal. */
  triggerLifetimeMs: 30_000,
  triggerMaxChars: 512,
  /** An opened modal can be submitted for this long. */
  modalLifetimeMs: 30 * 60 * 1000,
  fieldsPerModal: 10,
  /** Of one field. */
  modalTextMaxChars: 4000,
  /** The fields together, and the values together. */
  modalMaxChars: 16_000,
  webhooksPerChannel: 20,

  /** Gateways keep metrics of the last ten minutes. */
  metricsStepMs: 5000,
  metricsMaxSteps: 120,

  /** Of `admin.getTrends`: 90 days and the 90 before. */
  trendMaxDays: 180,

  /** A write fails with an error after this time. */
  writeTimeoutMs: 10_000,
  socketPayloadMaxBytes: 64 * 1024,
  httpBodyMaxBytes: 64 * 1024,
  /** Other programs describe a push or a group of alerts in more than that. */
  webhookBodyMaxBytes: 1024 * 1024,
  /** A webhook's form with all its files. */
  webhookFormMaxBytes: 16 * 1024 * 1024,

  /** Of an attribute of a user that an identity provider sends. */
  scimTextMaxChars: 256,
  /** Conditions in one SCIM filter. */
  scimFilters: 5,
  /** Members in one request about a group. */
  scimMembers: 10_000,
} as const;

/** The limits of a group's emoji, stickers and GIFs, by kind. */
export const EMOJI_LIMITS = {
  emoji: { perGroup: "emojiPerGroup", maxBytes: LIMITS.emojiMaxBytes },
  sticker: { perGroup: "stickersPerGroup", maxBytes: LIMITS.stickerMaxBytes },
  gif: { perGroup: "gifsPerGroup", maxBytes: LIMITS.gifMaxBytes },
} as const;

/** The emoji of a poll's options, in their order: a vote is a reaction with one of them. */
export const POLL_EMOJI = ["1️⃣", "2️⃣", "3️⃣", "4️⃣", "5️⃣", "6️⃣", "7️⃣", "8️⃣", "9️⃣", "🔟"] as const;

/** Languages of emails and push notifications. */
export const LOCALES = ["ar", "de", "en", "es", "fr", "ja", "pt", "zh"] as const;
export type Locale = (typeof LOCALES)[number];
