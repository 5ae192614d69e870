import { fieldsOf } from '@/lib/http/domain/is-object'
import { createEntryStore } from './storage/entry-store'
import { guardedStorage } from './storage/guarded-storage'
import { parseStored } from './storage/json'
import { DRAFT_FILES_KEY } from './storage/storage-keys'
import { isKept } from './storage/write-failures'

/** Nobody comes back to a message after that; the tab may have been closed for good. */
const AGE_MAX_MS = 30 * 86_400_000

/**
 * The addresses of the pictures and documents in unsent messages of every tab, with the time each was attached. The
 * messages themselves are in session storage, which other tabs do not see, and a browser may have put their tab to
 * sleep: the clean-up finds here what it must not delete.
 */
const entry = createEntryStore(guardedStorage, DRAFT_FILES_KEY, text => fieldsOf(parseStored(text)))

/** Replaces the files of a draft. */
export function noteDraftFiles(before: readonly string[], after: readonly string[], now: Date): void {
  const removed = before.filter(url => !after.includes(url))
  const added = after.filter(url => !before.includes(url))
  if (removed.length + added.length === 0) return
  const attachedAt = now.toISOString()
  write({
    ...without(removed),
    ...Object.fromEntries(added.map(url => [url, attachedAt])),
  })
}

/** Drops what was attached so long ago that nobody will come back to it. */
export function dropOldDraftFiles(now: Date): void {
  const isRecent = (attachedAt: unknown) => now.getTime() - Date.parse(String(attachedAt)) < AGE_MAX_MS
  const known = entry.getSnapshot()
  const old = Object.keys(known).filter(url => !isRecent(known[url]))
  if (old.length > 0) write(without(old))
}

function without(urls: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry.getSnapshot()).filter(([url]) => !urls.includes(url)))
}

function write(files: Record<string, unknown>): void {
  if (Object.keys(files).length === 0) entry.remove()
  else isKept(() => entry.write(JSON.stringify(files)))
}
