/** Other tabs close their connections at once when asked, unless they run an older version. */
const WAIT_MAX_MS = 5_000

/**
 * Succeeds if the database does not exist. Other tabs are asked to close theirs.
 * @throws if a tab keeps it open; it is still deleted as soon as that tab is closed
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
