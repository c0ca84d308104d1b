export { createAdminService } from "./admin.service.ts";
