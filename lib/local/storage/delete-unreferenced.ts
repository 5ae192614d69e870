import type { Conversation } from '../domain/conversation'
import type { GuardedStorage } from './guarded-storage'

/** A file is stored before the message that shows it; after a day that message has long been sent. */
const AGE_MIN_MS = 86_400_000

export interface DeleteUnreferencedOptions {
  files: {
    urlsStoredBefore(time: Date): Promise<string[]>
    delete(urls: readonly string[]): Promise<void>
  }
  /** Whether we stored the file ourselves; other products' files are kept. */
  isOurs: (url: string) => boolean
  storage: Pick<GuardedStorage, 'keys' | 'read'>
  /** The text of this tab's drafts, which may be older than what local storage knows of drafts. */
  drafts: string
  forEachArchived: (visit: (conversation: Conversation) => void) => Promise<void>
  now: Date
}

/**
 * Deletes the files of deleted conversations: those whose address occurs in no conversation, archived or not, no draft
 * of this tab and no store that was set aside.
 */
export async function deleteUnreferenced(options: DeleteUnreferencedOptions): Promise<void> {
  const { files, isOurs, storage, drafts, forEachArchived, now } = options
  const stored = await files.urlsStoredBefore(new Date(now.getTime() - AGE_MIN_MS))
  const unreferenced = new Set(stored.filter(isOurs))
  const keepThoseIn = (text: string): void => {
    for (const url of unreferenced) if (text.includes(url)) unreferenced.delete(url)
  }
  keepThoseIn(drafts)
  for (const key of storage.keys()) keepThoseIn(storage.read(key) ?? '')
  if (unreferenced.size > 0) await forEachArchived(conversation => keepThoseIn(JSON.stringify(conversation)))
  if (unreferenced.size > 0) await files.delete([...unreferenced])
}
