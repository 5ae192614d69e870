import { type RefCallback, useCallback, useState } from 'react'

/** More rows than a tall screen shows; a history of thousands must not be laid out to open a page. */
const ROW_COUNT_STEP = 60

/**
 * How many rows of a long list to show: a screenful, and more whenever `endRef` comes into view. Give the
 * element at the end `shownCount` as its key, so that one that stays in view is seen again.
 */
export function useGrowingList(): { shownCount: number; endRef: RefCallback<HTMLElement> } {
  const [shownCount, setShownCount] = useState(ROW_COUNT_STEP)
  const endRef = useCallback((end: HTMLElement | null) => {
    if (!end) return
    const observer = new IntersectionObserver(entries => {
      if (entries.some(entry => entry.isIntersecting)) setShownCount(count => count + ROW_COUNT_STEP)
    })
    observer.observe(end)
    return () => observer.disconnect()
  }, [])
  return { shownCount, endRef }
}
