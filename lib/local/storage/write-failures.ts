import { createExternalStore } from './external-store'

/**
 * How often this visit could not store something for a reason other than lack of room, so that the person can be told.
 */
export const writeFailureCountStore = createExternalStore(0)

/** Reported once while it lasts, not with every piece of a streaming answer. */
let isFailing = false

/** Returns false if the browser refused the write; that is logged and reported, and the page continues without it. */
export function isKept(write: () => boolean): boolean {
  try {
    const isWritten = write()
    isFailing = false
    return isWritten
  } catch (error) {
    if (!isFailing) {
      reportError(error)
      writeFailureCountStore.set(writeFailureCountStore.getSnapshot() + 1)
    }
    isFailing = true
    return false
  }
}
