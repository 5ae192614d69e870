/** The id of the main element, on every page. */
export const MAIN_ID = 'main'
/** The id of the message box, on the chat page only. */
export const MESSAGE_BOX_ID = 'message-box'

/** Selects the button that sends a form, also while it is busy and therefore sends nothing (button.tsx). */
export const SUBMIT_BUTTON = ':is([type=submit], [aria-busy])'

/**
 * Whether the device has a touch screen. Its keyboard has no Shift to hold for a new line, and covers half of the page.
 */
export function hasCoarsePointer(): boolean {
  return window.matchMedia?.('(pointer: coarse)').matches ?? false
}

/**
 * After the next render, focuses the first element that accepts it: all elements that match the first selector are
 * tried, then those of the next one. The last resort is the page's main element, so that the focus is never lost.
 */
export function focusAfterRender(...selectors: readonly string[]): void {
  requestAnimationFrame(() => {
    for (const selector of [...selectors, `#${MAIN_ID}`]) {
      for (const element of document.querySelectorAll<HTMLElement>(selector)) {
        // The main element is as high as the page, which must not scroll to its top.
        element.focus({ preventScroll: element.id === MAIN_ID })
        if (document.activeElement === element) return
      }
    }
  })
}

/**
 * For a button that disappears with its item of a list: moves the focus to the last button of the next item, or else of
 * the one before. False if there is no other.
 */
export function focusOtherItem(button: Element): boolean {
  const item = button.closest('li')
  const other = item?.nextElementSibling ?? item?.previousElementSibling
  const next = [...(other?.querySelectorAll('button') ?? [])].at(-1)
  next?.focus()
  return next !== undefined
}

/**
 * Focuses the message box. On a touch screen, where that would open the keyboard, a focus that is still valid stays.
 */
export function focusMessageBox(): void {
  focusAfterRender(hasCoarsePointer() ? ':focus' : `#${MESSAGE_BOX_ID}`)
}
