import {
  createContext,
  type RefCallback,
  type RefObject,
  startTransition,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react'

/** In screens above and below: further than browsers lay out content that they may skip. */
const MARGIN = '200% 0%'
/** For work that is quickly done. */
const NEAR_MARGIN = '100% 0%'

/** Whether an element has been near the viewport; until then its buttons are not rendered. */
export const HasButtons = createContext(true)

/** Which groups of turns (`data-turns`) in a scroller are in or near the viewport. */
export function useNear(scrollerRef: RefObject<HTMLElement | null>): {
  isNear: (startIndex: number) => boolean
  /** The ref for each group. */
  watch: RefCallback<HTMLElement>
} {
  const [nearKeys, setNearKeys] = useState<ReadonlySet<string>>(new Set())
  const watched = useRef(new Set<HTMLElement>())
  const observer = useRef<IntersectionObserver | null>(null)

  const watch = useCallback((group: HTMLElement | null) => {
    if (!group) return
    watched.current.add(group)
    observer.current?.observe(group)
    // An observer drops removed elements by itself.
    return () => void watched.current.delete(group)
  }, [])

  useEffect(() => {
    if (typeof IntersectionObserver === 'undefined') return
    const keyOf = (target: Element) => (target instanceof HTMLElement ? (target.dataset.turns ?? '') : '')
    const onChange = (entries: readonly IntersectionObserverEntry[]) =>
      startTransition(() =>
        setNearKeys(known => {
          const next = new Set(known)
          for (const { target, isIntersecting } of entries) {
            if (isIntersecting) next.add(keyOf(target))
            else next.delete(keyOf(target))
          }
          const isSame = next.size === known.size && [...next].every(key => known.has(key))
          return isSame ? known : next
        }),
      )
    const created = new IntersectionObserver(onChange, { root: scrollerRef.current, rootMargin: MARGIN })
    observer.current = created
    for (const group of watched.current) created.observe(group)
    return () => {
      created.disconnect()
      observer.current = null
    }
  }, [scrollerRef])

  const isNear = (startIndex: number) =>
    typeof IntersectionObserver === 'undefined' || nearKeys.has(`${startIndex}`)
  return { isNear, watch }
}

const waiting = new Map<Element, () => void>()
let observer: IntersectionObserver | null = null

/** Calls back once the element is in or near the viewport. Returns a function that cancels it. */
export function onceNear(element: Element, callBack: () => void): () => void {
  if (typeof IntersectionObserver === 'undefined') {
    callBack()
    return () => {}
  }
  observer ??= new IntersectionObserver(
    entries => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) waiting.get(target)?.()
    },
    { rootMargin: NEAR_MARGIN, scrollMargin: NEAR_MARGIN },
  )
  const stop = () => {
    waiting.delete(element)
    observer?.unobserve(element)
  }
  waiting.set(element, () => {
    stop()
    callBack()
  })
  observer.observe(element)
  return stop
}
