export { createPreviewService } from "./preview.service.ts";
