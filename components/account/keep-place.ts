/** The heading that an address names, and a choice: that of the language makes the whole page anew. */
const KEPT = 'h2, select'

/**
 * Keeps a heading or a choice that has the focus in its place while parts of the page above it load. Safari does not do
 * so by itself, and other browsers only if what they hold on to is not replaced: the section that an address names, or
 * the choice that was just made, was soon out of sight.
 *
 * @returns how to end it
 */
export function keepPlace(): () => void {
  let kept: { element: Element; top: number; scrollY: number } | null = null
  const look = () => {
    const element = document.activeElement
    const top = element?.matches(KEPT) ? element.getBoundingClientRect().top : -1
    const isInView = top >= 0 && top < window.innerHeight
    kept = element && isInView ? { element, top, scrollY: window.scrollY } : null
  }
  const fallen = () => (kept ? kept.element.getBoundingClientRect().top - kept.top : 0)
  const observer = new ResizeObserver(() => {
    // The browser may have scrolled already, but not by all that was added within one frame.
    if (kept?.element === document.activeElement) window.scrollBy(0, fallen())
    look()
  })
  // The person has scrolled, unless the element is elsewhere in the page as well.
  const onScroll = () => {
    if (!kept || Math.abs(fallen() + window.scrollY - kept.scrollY) < 1) look()
  }
  // Whatever has moved the focus may scroll as well, right after that.
  const onFocus = () => queueMicrotask(look)
  observer.observe(document.body)
  window.addEventListener('scroll', onScroll, { passive: true })
  document.addEventListener('focusin', onFocus)
  return () => {
    observer.disconnect()
    window.removeEventListener('scroll', onScroll)
    document.removeEventListener('focusin', onFocus)
  }
}
