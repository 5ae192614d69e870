import type { ConversationRepository } from '../conversations/conversation-repository'
import type { Archive } from './archive'

/** How many conversations the default clean-up keeps: the most recent ones. */
export const KEPT_CONVERSATION_COUNT = 20

export interface CleanUpOptions {
  repository: ConversationRepository
  archive: Pick<Archive, 'put'>
  /** The conversations shown in this tab and in others, which are kept however old they are. */
  openIds: ReadonlySet<string>
  keepCount?: number
}

/**
 * Moves all but the most recent conversations from local storage to the archive.
 * @returns how many were moved
 * @throws if the archive could not take them; then all of them are still where they were
 */
export async function cleanUpConversations(options: CleanUpOptions): Promise<number> {
  const { repository, archive, openIds, keepCount = KEPT_CONVERSATION_COUNT } = options
  const older = repository
    .snapshot()
    .slice(keepCount)
    .filter(conversation => !openIds.has(conversation.id))
  if (older.length === 0) return 0
  await archive.put(older)
  // A conversation that changed while it was being copied stays; its copy is older and does no harm.
  const unchanged = older.filter(conversation => repository.get(conversation.id) === conversation)
  repository.remove(unchanged.map(({ id }) => id))
  return unchanged.length
}
