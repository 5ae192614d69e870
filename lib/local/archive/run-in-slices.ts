/** Half a frame: what happens meanwhile still comes in time. */
const SLICE_MS = 8
const PAUSE_MS = 50

/** Where the browser has no idle callbacks, short slices with pauses do as well. */
function whenIdle(run: (hasTime: () => boolean) => void): void {
  if (typeof requestIdleCallback === 'function') {
    requestIdleCallback(deadline => run(() => deadline.timeRemaining() > 1))
    return
  }
  setTimeout(() => {
    const end = performance.now() + SLICE_MS
    run(() => performance.now() < end)
  }, PAUSE_MS)
}

/** Goes through the items bit by bit, whenever the page has nothing better to do. */
export function runInSlices<Item>(
  items: readonly Item[],
  visit: (item: Item) => void,
  schedule: typeof whenIdle = whenIdle,
): void {
  let next = 0
  const runSlice = (hasTime: () => boolean): void => {
    for (; next < items.length && hasTime(); next += 1) {
      const item = items[next]
      if (item !== undefined) visit(item)
    }
    if (next < items.length) schedule(runSlice)
  }
  if (items.length > 0) schedule(runSlice)
}
