import { createExternalStore } from './external-store'

/** How often this visit could not keep something for another reason than want of room: the person is told. */
export const writeFailureCountStore = createExternalStore(0)

/** Told once for as long as it goes on, not with every piece of an answer that streams in. */
let isFailing = false

/** False when the browser refused the write; this is logged and told, and the page goes on without it. */
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
