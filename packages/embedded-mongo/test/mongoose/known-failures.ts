/** Failing tests of mongoose by reason and file. A listed test that passes or doesn't exist fails the run. */
export const knownFailures: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "capped collections are refused": {
    "collection.capped.test.js": [
      "collections: capped: creation",
      "collections: capped: skips when setting autoCreate to false (gh-8566)",
    ],
    "connection.test.js": ["connections: helpers createCollection()"],
    "model.test.js": [
      "Model respects schema-level `collectionOptions` for setting options to createCollection()",
    ],
  },
  "geo queries and indexes are refused": {
    "document.test.js": ["document bug fixes single embedded docs with $near (gh-4014)"],
    "geojson.test.js": ["geojson driver query", "geojson within helper", "geojson index", "geojson near"],
    "model.query.casting.test.js": [
      "model query casting minDistance (gh-4197)",
      "model query casting $near with arrays",
      "model query casting $near with objects",
      "model query casting $near with nested objects",
      "model query casting $nearSphere with arrays",
      "model query casting $nearSphere with objects",
      "model query casting $nearSphere with nested objects",
      "model query casting $within $centerSphere with arrays",
      "model query casting $within $centerSphere with objects",
      "model query casting $within $centerSphere with nested objects",
      "model query casting $within $center with arrays",
      "model query casting $within $center with objects",
      "model query casting $within $center with nested objects",
      "model query casting $within $polygon with arrays",
      "model query casting $within $polygon with objects",
      "model query casting $within $polygon with nested objects",
      "model query casting $within $box with arrays",
      "model query casting $within $box with objects",
      "model query casting $within $box with nested objects",
    ],
    "model.querying.test.js": [
      "model: querying: 2d $near (gh-309)",
      "model: querying: 2d $within arrays (gh-586)",
      "model: querying: 2d $nearSphere with arrays (gh-610)",
      "model: querying: 2d $nearSphere with invalid coordinate does not crash (gh-1874)",
      "model: querying: 2d $maxDistance with arrays",
      "model: querying: 2dsphere $geometry Polygon",
      "model: querying: 2dsphere $geoIntersects LineString",
      "model: querying: 2dsphere $geoIntersects MultiLineString",
      "model: querying: 2dsphere $geoIntersects MultiPolygon",
      "model: querying: 2dsphere $near Point",
      "model: querying: 2dsphere $near works with GeoJSON (gh-1482)",
      "model: querying: 2dsphere $near works with legacy 2dsphere pair in schema (gh-6937)",
    ],
    "model.test.js": [
      "Model Skip setting default value for Geospatial-indexed fields (gh-1668) 2dsphere indexed field with value is saved",
      "Model Skip setting default value for Geospatial-indexed fields (gh-1668) 2dsphere indexed field without value is saved (gh-1668)",
      "Model Skip setting default value for Geospatial-indexed fields (gh-1668) 2dsphere indexed field in subdoc without value is saved",
      "Model Skip setting default value for Geospatial-indexed fields (gh-1668) Doc with 2dsphere indexed field without initial value can be updated",
      "Model Skip setting default value for Geospatial-indexed fields (gh-1668) 2dsphere indexed required field without value is rejected",
      "Model Skip setting default value for Geospatial-indexed fields (gh-1668) 2dsphere field without value but with schema default is saved",
      "Model Skip setting default value for Geospatial-indexed fields (gh-1668) 2d indexed field without value is saved",
    ],
    "query.test.js": [
      "Query bug fixes $geoWithin with single nested schemas (gh-4044)",
      "Query bug fixes handles geoWithin with $center and mongoose object (gh-4419)",
      "Query bug fixes geoIntersects with mongoose doc as coords (gh-4408)",
      "Query bug fixes geojson underneath array (gh-5467)",
      "Query bug fixes handles geoWithin with mongoose docs (gh-4392)",
    ],
  },
  "unique text indexes are refused": {
    "model.indexes.test.js": [
      "model discriminators with unique should prevent collation on text indexes (gh-10044)",
    ],
  },
  "$where is refused": {
    "model.querying.test.js": [
      "model: querying: findOne querying via $where a string",
      "model: querying: findOne querying via $where a function",
    ],
    "query.test.js": [
      "Query maxTimeMS() (gh-7254)",
      "Query connection-level maxTimeMS() (gh-4066)",
      "Query mongoose-level maxTimeMS() (gh-4066)",
    ],
  },
  "$text has no stemming": {
    "model.querying.test.js": ["model: querying: sort handles sorting by text score"],
  },
  "hashed indexes are refused": {
    "model.querying.test.js": ["model: querying: hashed indexes work"],
  },
  "time series are refused": {
    "model.test.js": [
      "Model bug fixes createCollection() respects timeseries (gh-10611)",
      "Model bug fixes createCollection() enforces expireAfterSeconds (gh-11229)",
      "Model bug fixes createCollection() enforces expires (gh-11229)",
      "Model bug fixes createCollection() enforces expireAfterSeconds when set by Schema (gh-11229)",
      "Model bug fixes createCollection() enforces expires when set by Schema (gh-11229)",
      "Model bug fixes mongodb actually removes expired documents (gh-11229)",
      "Model diffIndexes() avoids trying to drop timeseries collections (gh-14984)",
    ],
  },
  "clustered collections are refused": {
    "model.test.js": ["Model bug fixes createCollection() respects clusteredIndex"],
  },
  "validators are refused": {
    "schema.test.js": [
      "schema jsonSchema() (gh-11162) handles basic example with only top-level keys",
      "schema jsonSchema() (gh-11162) handles arrays and document arrays",
      "schema jsonSchema() (gh-11162) handles nested paths and subdocuments",
      "schema jsonSchema() (gh-11162) handles maps",
      "schema jsonSchema() (gh-11162) puts enums on array elements rather than on the array (gh-16443)",
    ],
  },
};
