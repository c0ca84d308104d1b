export { createSearchService } from "./search.service.ts";
