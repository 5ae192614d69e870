/** Other tabs close their connections at once when asked; one that runs an older version may not. */
const WAIT_MAX_MS = 5_000

/**
 * A database that does not exist is deleted without complaint. Other tabs close theirs when asked.
 * @throws when a tab keeps it open; it is deleted all the same as soon as that tab is closed
 */
export function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name)
    request.onsuccess = () => resolve()
    request.onerror = () => reject(request.error)
    request.onblocked = () => {
      setTimeout(() => reject(new Error(`Another tab keeps ${name} open.`)), WAIT_MAX_MS)
    }
  })
}
