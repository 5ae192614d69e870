/** Safari ends a composition before the key that ended it; this legacy code still tells. */
const COMPOSING_KEY_CODE = 229

/** Whether an input method has the key: it is part of a word that is not written yet. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === COMPOSING_KEY_CODE
}
