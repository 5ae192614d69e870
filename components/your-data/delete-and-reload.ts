import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { deleteEverything } from '@/lib/local/transfer/delete-everything'

/** The reload ends what still holds the deleted data in memory. */
export async function deleteAndReload(keepCredit: boolean): Promise<void> {
  // Nothing may wait to be written when the page is left.
  conversationStore.flushScheduledSaves()
  await deleteEverything({
    storage: guardedStorage,
    clearTab: () => window.sessionStorage.clear(),
    keepCredit,
  })
  window.location.reload()
}
