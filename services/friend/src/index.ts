export { createFriendService } from "./friend.service.ts";
