export { API_PAGE_STYLE, apiPage, errorsPage } from "./pages.ts";
export { apiRecord, breakingChanges } from "./api-record.ts";
export { asyncApiDocument } from "./asyncapi.ts";
export { manifestModule } from "./manifest.ts";
export { errorsOf, openApiDocument, type Schema } from "./openapi.ts";
