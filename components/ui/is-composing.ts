/** Safari ends a composition before the key event that ended it; this legacy code still identifies it. */
const COMPOSING_KEY_CODE = 229

/** Whether an input method is handling the key, as part of an unfinished word. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === COMPOSING_KEY_CODE
}
