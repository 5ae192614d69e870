/** Of every page. */
export const MAIN_ID = 'main'
/** Of the chat page alone. */
export const MESSAGE_BOX_ID = 'message-box'

/** A thumb on glass: its keyboard has no Shift to hold for a new line, and covers half of the page. */
export function hasCoarsePointer(): boolean {
  return window.matchMedia?.('(pointer: coarse)').matches ?? false
}

/**
 * Once what has just been changed is on the screen, gives the focus to the first element that takes it: all
 * that match the first selector are tried, then the next selector's. With nothing left it is the page's main
 * part, so that the focus is never nowhere.
 */
export function focusAfterRender(...selectors: readonly string[]): void {
  requestAnimationFrame(() => {
    for (const selector of [...selectors, `#${MAIN_ID}`]) {
      for (const element of document.querySelectorAll<HTMLElement>(selector)) {
        element.focus()
        if (document.activeElement === element) return
      }
    }
  })
}

/** Where one goes on writing; with a thumb only when the box itself is tapped. */
export function focusMessageBox(): void {
  if (hasCoarsePointer()) focusAfterRender()
  else focusAfterRender(`#${MESSAGE_BOX_ID}`)
}
