export { errorsPage } from "./errors-page.ts";
export { API_PAGE_STYLE, apiPage } from "./api-page.ts";
export { apiRecord, breakingChanges } from "./api-record.ts";
export { asyncApiDocument } from "./asyncapi.ts";
export { manifestModule } from "./manifest.ts";
export { errorsOf, openApiDocument, type Schema } from "./openapi.ts";
