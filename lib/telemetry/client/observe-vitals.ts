import type { VitalName } from '../domain/web-vitals'
import { createLayoutShift } from './layout-shift'

/** Faster interactions cannot make a page feel slow; the browser does not even list them. */
const INTERACTION_MIN_MS = 40

/** What the browsers' typings lack. */
interface LayoutShiftEntry extends PerformanceEntry {
  value: number
  hadRecentInput: boolean
}
interface InteractionEntry extends PerformanceEntry {
  processingStart: number
  interactionId?: number
}

/**
 * Measures how the page was loaded and how it responds, as observed by the browser itself. `report` is called once,
 * with everything that was measured, when the page is left or hidden, because the worst value may come last.
 */
export function observeVitals(report: (vitals: ReadonlyMap<VitalName, number>) => void): () => void {
  const vitals = new Map<VitalName, number>()
  const layoutShift = createLayoutShift()
  const stops = [
    observe('largest-contentful-paint', {}, entry => vitals.set('LCP', entry.startTime)),
    observe<InteractionEntry>('first-input', {}, entry => {
      vitals.set('FID', entry.processingStart - entry.startTime)
    }),
    observe<LayoutShiftEntry>('layout-shift', {}, entry => {
      if (!entry.hadRecentInput) vitals.set('CLS', layoutShift.add(entry.startTime, entry.value))
    }),
    // The slowest interaction. The standard ignores one in fifty, but few visits have that many.
    observe<InteractionEntry>('event', { durationThreshold: INTERACTION_MIN_MS }, entry => {
      if (entry.interactionId) vitals.set('INP', Math.max(vitals.get('INP') ?? 0, entry.duration))
    }),
  ]
  const stop = () => {
    removeEventListener('visibilitychange', onHidden)
    for (const stopOne of stops) stopOne()
  }
  const onHidden = () => {
    if (document.visibilityState !== 'hidden') return
    stop()
    report(vitals)
  }
  addEventListener('visibilitychange', onHidden)
  return stop
}

/** Does nothing for a type of entry that this browser does not support. */
function observe<Entry extends PerformanceEntry>(
  type: string,
  options: { durationThreshold?: number },
  take: (entry: Entry) => void,
): () => void {
  if (!PerformanceObserver.supportedEntryTypes.includes(type)) return () => {}
  const observer = new PerformanceObserver(list => {
    for (const entry of list.getEntries()) take(entry as Entry)
  })
  observer.observe({ type, buffered: true, ...options } as PerformanceObserverInit)
  return () => observer.disconnect()
}
