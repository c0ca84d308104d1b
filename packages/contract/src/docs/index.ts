export { errorsPage } from "./errors-page.ts";
export { errorsOf, openApiDocument } from "./openapi.ts";
