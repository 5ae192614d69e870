/**
 * Adds one object store to a database made by other code, with the plain interface: all other stores stay as they are,
 * with whatever keys and indexes they have, without having to be described.
 */
export async function addObjectStore(
  databaseName: string,
  storeName: string,
  keyPath: string,
  indexPath: string,
): Promise<void> {
  const existing = await opened(indexedDB.open(databaseName))
  const version = existing.version + 1
  existing.close()
  const request = indexedDB.open(databaseName, version)
  request.onupgradeneeded = () => {
    const { result: database } = request
    // Another tab may have done it meanwhile.
    if (database.objectStoreNames.contains(storeName)) return
    database.createObjectStore(storeName, { keyPath }).createIndex(indexPath, indexPath)
  }
  const upgraded = await opened(request)
  upgraded.close()
}

function opened(request: IDBOpenDBRequest): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
