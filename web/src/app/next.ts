/* What is loaded after the first page, in one file to load. */
export { join } from "../calls/calls.tsx";
export { EmojiPopover } from "../channel/emoji/emoji-popover.tsx";
export { LeaveDialog } from "../channel/messages/item/leave-dialog.tsx";
export { MessagePointerMenu, MessageSheet, MessageToolbar } from "../channel/messages/list/message-menus.tsx";
export { FirstGroup } from "../groups/add-group.tsx";
export { InvitePage } from "../groups/invites/invite-page.tsx";
export { OpenProfile } from "../people/members/profile/profile-card.tsx";
export { Background } from "./background.tsx";
export { Lists } from "./home/lists.tsx";
