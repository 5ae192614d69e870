/** Of this site's own keys, and of those that earlier versions gave out. */
export const API_KEY_PATTERN = /^sk-[A-Za-z0-9_-]{20,128}$/
