import { findArea } from '../storage/storage-area'
import { inTime } from './in-time'

/**
 * Whether this browser has a database, without loading the library for it: on a first visit there is none, and loading
 * would be wasted.
 */
export async function databaseExists(name: string): Promise<boolean> {
  if (!hasDatabases()) return false
  if (typeof indexedDB.databases !== 'function') return inTime(existsByOpening(name))
  const databases = await inTime(indexedDB.databases())
  return databases.some(database => database.name === name)
}

/** Browsers that block local storage also block databases, with various errors. */
function hasDatabases(): boolean {
  try {
    return (
      typeof indexedDB !== 'undefined' && (typeof window === 'undefined' || findArea('localStorage') !== null)
    )
  } catch {
    return false
  }
}

/** For browsers that cannot list databases: opening one that does not exist would create it. */
function existsByOpening(name: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let isNew = false
    const request = indexedDB.open(name)
    request.onupgradeneeded = () => {
      isNew = true
      request.transaction?.abort()
    }
    request.onsuccess = () => {
      request.result.close()
      resolve(true)
    }
    request.onerror = () => (isNew ? resolve(false) : reject(request.error))
  })
}
