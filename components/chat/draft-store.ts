import { createListeners } from '@/lib/local/storage/external-store'
import { openArea } from '@/lib/local/storage/storage-area'

/** What stands in the composer of one conversation. */
export interface Draft {
  readonly text: string
  /** Addresses in the image store. */
  readonly pictureUrls: readonly string[]
}

/** The composer of a conversation that does not exist yet. */
export const NEW_CHAT = 'new'

export const EMPTY_DRAFT: Draft = { text: '', pictureUrls: [] }

const KEY = 'drafts'
/** The least recently written make way. */
const COUNT_MAX = 50

/** Drafts by conversation, kept for as long as the tab is: a top-up, a reload or a crash loses no word. */
function createDraftStore() {
  const { subscribe, notify } = createListeners()
  let drafts: Map<string, Draft> | null = null

  function load(): Map<string, Draft> {
    drafts ??= read()
    return drafts
  }

  return {
    subscribe,
    get: (id: string): Draft => load().get(id) ?? EMPTY_DRAFT,
    set(id: string, draft: Draft): void {
      const known = load()
      known.delete(id)
      if (draft.text !== '' || draft.pictureUrls.length > 0) known.set(id, draft)
      write([...known].slice(-COUNT_MAX))
      notify()
    },
  }
}

function read(): Map<string, Draft> {
  try {
    const stored: unknown = JSON.parse(openArea('sessionStorage').getItem(KEY) ?? '[]')
    return new Map(Array.isArray(stored) ? stored.filter(isEntry) : [])
  } catch {
    return new Map()
  }
}

function write(entries: readonly (readonly [string, Draft])[]): void {
  try {
    openArea('sessionStorage').setItem(KEY, JSON.stringify(entries))
  } catch {
    // No room: the drafts live on in memory, as long as the page does.
  }
}

function isEntry(value: unknown): value is [string, Draft] {
  if (!Array.isArray(value) || typeof value[0] !== 'string') return false
  const draft: unknown = value[1]
  return (
    typeof draft === 'object' &&
    draft !== null &&
    'text' in draft &&
    typeof draft.text === 'string' &&
    'pictureUrls' in draft &&
    Array.isArray(draft.pictureUrls) &&
    draft.pictureUrls.every(url => typeof url === 'string')
  )
}

export const draftStore = createDraftStore()
