/**
 * Tests that fail, by the folder of the specification and by the reason: `file: description`, or `file` when all tests of it fail.
 * A listed test that passes, or that doesn't exist, fails the run.
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
  "transactions/unified": {},
  "transactions-convenient-api/unified": {},
};
