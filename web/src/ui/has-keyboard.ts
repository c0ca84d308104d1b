/** On phones, focusing a field would open the keyboard over half of the page. */
export const HAS_KEYBOARD = matchMedia("(hover: hover)").matches;
