/** Asks the browser not to clear what it keeps for us when disk space runs short: money hangs on it. */
export async function persistStorage(): Promise<boolean> {
  if (typeof navigator === 'undefined' || !navigator.storage?.persist) return false
  try {
    return (await navigator.storage.persisted()) || (await navigator.storage.persist())
  } catch {
    // Private windows refuse by throwing; the credit works all the same.
    return false
  }
}
