/**
 * Keeps the heading that has the focus in its place while parts of the page above it load. Other browsers do so by
 * themselves; Safari does not, and the section that an address names was soon out of sight.
 *
 * @returns how to end it
 */
export function keepHeading(): () => void {
  let kept: { heading: Element; top: number; scrollY: number } | null = null
  const look = () => {
    const heading = document.activeElement
    const top = heading?.matches('h2') ? heading.getBoundingClientRect().top : -1
    const isInView = top >= 0 && top < window.innerHeight
    kept = heading && isInView ? { heading, top, scrollY: window.scrollY } : null
  }
  const observer = new ResizeObserver(() => {
    // Elsewhere the person has scrolled, or the browser has.
    if (kept?.heading === document.activeElement && kept.scrollY === window.scrollY)
      window.scrollBy(0, kept.heading.getBoundingClientRect().top - kept.top)
    look()
  })
  // Whatever has moved the focus may scroll as well, right after that.
  const onFocus = () => queueMicrotask(look)
  observer.observe(document.body)
  document.addEventListener('focusin', onFocus)
  return () => {
    observer.disconnect()
    document.removeEventListener('focusin', onFocus)
  }
}
