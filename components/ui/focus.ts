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
        // The main part is as high as the page, which need not move to its beginning.
        element.focus({ preventScroll: element.id === MAIN_ID })
        if (document.activeElement === element) return
      }
    }
  })
}

/** Where one goes on writing. With a thumb that is a tap on the box: the focus stays where it is, if it still is. */
export function focusMessageBox(): void {
  focusAfterRender(hasCoarsePointer() ? ':focus' : `#${MESSAGE_BOX_ID}`)
}
