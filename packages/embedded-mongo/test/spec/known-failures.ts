/**
 * Failing tests by specification folder and reason: `file: description`, or `file` if all its tests fail. A listed test that passes or
 * doesn't exist fails the run.
 */
export const knownFailures: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "unified-test-format/valid-pass": {
    "capped collections are refused": [
      "collectionData-createOptions: collection is created with the correct options",
    ],
    "sessions aren't kept": ["poc-crud: Aggregate with $listLocalSessions"],
  },
  "crud/unified": {
    "the driver doesn't send bypassDocumentValidation: false": [
      "bypassDocumentValidation: Aggregate with $out passes bypassDocumentValidation: false",
      "bypassDocumentValidation: BulkWrite passes bypassDocumentValidation: false",
      "bypassDocumentValidation: FindOneAndReplace passes bypassDocumentValidation: false",
      "bypassDocumentValidation: FindOneAndUpdate passes bypassDocumentValidation: false",
      "bypassDocumentValidation: InsertMany passes bypassDocumentValidation: false",
    ],
    "the driver replaces an _id that is null": [
      "create-null-ids: inserting _id with type null via insertOne",
      "create-null-ids: inserting _id with type null via insertMany",
      "create-null-ids: inserting _id with type null via bulkWrite",
    ],
    "the server already has the sort of MongoDB 8": [
      "bulkWrite-replaceOne-sort: BulkWrite replaceOne with sort option unsupported (server-side error)",
      "bulkWrite-updateOne-sort: BulkWrite updateOne with sort option unsupported (server-side error)",
      "replaceOne-sort: replaceOne with sort option unsupported (server-side error)",
      "updateOne-sort: updateOne with sort option unsupported (server-side error)",
    ],
    "sessions aren't kept": [
      "db-aggregate: Aggregate with $listLocalSessions",
      "db-aggregate: Aggregate with $listLocalSessions and allowDiskUse",
    ],
    "views are refused": ["estimatedDocumentCount: estimatedDocumentCount works correctly on views"],
    "collMod changes only indexes: validators are refused": [
      "findOneAndUpdate-errorResponse: findOneAndUpdate document validation errInfo is accessible",
    ],
  },
  collection_management: {
    "clustered collections are refused": ["clustered-indexes"],
    "change streams are refused": [
      "createCollection-pre_and_post_images: createCollection with changeStreamPreAndPostImages enabled",
    ],
    "time series are refused": ["timeseries-collection"],
  },
  index_management: {},
  sessions: {},
  "run_command/unified": {
    "capped collections are refused": [
      "runCursorCommand: does not close the cursor when receiving an empty batch",
    ],
  },
  command_monitoring: {
    "min, max, returnKey and showRecordId are refused": [
      "find: A successful find with options",
      "find: A successful find with showRecordId and returnKey",
    ],
  },
  "retryable_reads/unified": {
    "the driver doesn't have the operation": [
      "listCollectionObjects",
      "listCollectionObjects-serverErrors",
      "listDatabaseObjects",
      "listDatabaseObjects-serverErrors",
      "mapReduce",
    ],
  },
  "retryable_writes/unified": {},
  "transactions/unified": {
    "a server that is no replica set has no cluster time": [
      "abort: abort",
      "causal-consistency: causal consistency",
      "commit: commit",
      "commit: multiple commits after empty transaction",
      "commit: reset session state commit",
      "commit: reset session state abort",
      "findOneAndUpdate: findOneAndUpdate",
      "insert: insert",
      "insert: insert with session1",
      "retryable-writes: increment txnNumber",
      "transaction-options-repl: readConcern snapshot in startTransaction options",
      "transaction-options: no transaction options set",
    ],
    "a server that is no replica set knows only one member": ["commit: write concern error on commit"],
    "collections and indexes can't be created in a transaction, except by an insert, which leaves an empty collection":
      [
        "create-collection: explicitly create collection using create command",
        "create-collection: implicitly create collection using insert",
        "create-index: create index on a non-existing collection",
        "create-index: create index on a collection created within the same transaction",
      ],
    "the driver sends a wtimeout with each commit": [
      "delete: collection writeConcern ignored for delete",
      "error-labels-errorLabels: add RetryableWriteError and UnknownTransactionCommitResult labels to writeConcernError ShutdownInProgress",
      "error-labels: add UnknownTransactionCommitResult label to writeConcernError WriteConcernTimeout",
      "error-labels: add UnknownTransactionCommitResult label to writeConcernError WriteConcernTimeout with wtimeout",
      "error-labels: omit UnknownTransactionCommitResult label from writeConcernError UnsatisfiableWriteConcern",
      "error-labels: omit UnknownTransactionCommitResult label from writeConcernError UnknownReplWriteConcern",
      "error-labels: add UnknownTransactionCommitResult label to MaxTimeMSExpired",
      "error-labels: add UnknownTransactionCommitResult label to writeConcernError MaxTimeMSExpired",
      "findOneAndDelete: collection writeConcern ignored for findOneAndDelete",
      "findOneAndReplace: collection writeConcern ignored for findOneAndReplace",
      "findOneAndUpdate: collection writeConcern ignored for findOneAndUpdate",
      "insert: collection writeConcern ignored for insert",
      "retryable-abort-errorLabels: abortTransaction succeeds after WriteConcernError InterruptedAtShutdown",
      "retryable-abort-errorLabels: abortTransaction succeeds after WriteConcernError InterruptedDueToReplStateChange",
      "retryable-abort-errorLabels: abortTransaction succeeds after WriteConcernError PrimarySteppedDown",
      "retryable-abort-errorLabels: abortTransaction succeeds after WriteConcernError ShutdownInProgress",
      "retryable-abort: abortTransaction does not retry after WriteConcernError Interrupted",
      "retryable-commit-errorLabels: commitTransaction succeeds after WriteConcernError InterruptedAtShutdown",
      "retryable-commit-errorLabels: commitTransaction succeeds after WriteConcernError InterruptedDueToReplStateChange",
      "retryable-commit-errorLabels: commitTransaction succeeds after WriteConcernError PrimarySteppedDown",
      "retryable-commit-errorLabels: commitTransaction succeeds after WriteConcernError ShutdownInProgress",
      "retryable-commit: commitTransaction is not retried after UnsatisfiableWriteConcern error",
      "transaction-options: transaction options inherited from client",
      "transaction-options: transaction options inherited from defaultTransactionOptions",
      "transaction-options: startTransaction options override defaults",
      "transaction-options: defaultTransactionOptions override client options",
      "transaction-options: readConcern local in defaultTransactionOptions",
      "transaction-options: client writeConcern ignored for bulk",
      "update: collections writeConcern ignored for update",
      "write-concern: commit with majority",
      "write-concern: abort with majority",
    ],
    "the driver repeats commits and aborts only in a replica set": [
      "error-labels-blockConnection: add RetryableWriteError and UnknownTransactionCommitResult labels to connection errors",
      "error-labels: add RetryableWriteError and UnknownTransactionCommitResult labels to connection errors",
      "retryable-abort: abortTransaction only performs a single retry",
      "retryable-abort: abortTransaction succeeds after connection error",
      "retryable-commit: commitTransaction fails after two errors",
      "retryable-commit: commitTransaction applies majority write concern on retries",
      "retryable-commit: commitTransaction succeeds after connection error",
    ],
    "without the read concern snapshot, a transaction reads what others have committed since": [
      "isolation: two transactions",
    ],
  },
  "transactions-convenient-api/unified": {
    "a server that is no replica set has no cluster time": [
      "callback-aborts: withTransaction still succeeds if callback aborts and runs extra op",
      "callback-commits: withTransaction still succeeds if callback commits and runs extra op",
      "callback-retry: callback succeeds after multiple connection errors",
      "commit-transienttransactionerror-4.2: transaction is retried after commitTransaction TransientTransactionError (PreparedTransactionInProgress)",
      "commit-transienttransactionerror: transaction is retried after commitTransaction TransientTransactionError (LockTimeout)",
      "commit-transienttransactionerror: transaction is retried after commitTransaction TransientTransactionError (WriteConflict)",
      "commit-transienttransactionerror: transaction is retried after commitTransaction TransientTransactionError (SnapshotUnavailable)",
      "commit-transienttransactionerror: transaction is retried after commitTransaction TransientTransactionError (NoSuchTransaction)",
      "commit: withTransaction commits after callback returns (second transaction)",
    ],
    "the driver repeats commits and aborts only in a replica set": [
      "commit-retry: commitTransaction succeeds after multiple connection errors",
      "commit-retry: commitTransaction retry only overwrites write concern w option",
    ],
    "the driver sends a wtimeout with each commit": [
      "transaction-options: withTransaction inherits transaction options from client",
      "transaction-options: withTransaction inherits transaction options from defaultTransactionOptions",
      "transaction-options: withTransaction explicit transaction options",
      "transaction-options: withTransaction explicit transaction options override defaultTransactionOptions",
      "transaction-options: withTransaction explicit transaction options override client options",
    ],
  },
};
