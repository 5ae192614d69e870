import { isObject, listOf } from '@/lib/http/domain/is-object'
import { COMPARED_COUNT_MAX } from '@/lib/local/domain/comparisons'
import type { ContentPart } from '@/lib/local/domain/conversation'
import { noteDraftFiles } from '@/lib/local/draft-files'
import { createListeners } from '@/lib/local/storage/external-store'
import { parseStored } from '@/lib/local/storage/json'
import { keepInTab, keptInTab } from '@/lib/local/storage/storage-area'
import { DRAFTS_KEY } from '@/lib/local/storage/storage-keys'
import { type DraftDocument, documentPart, isDraftDocument } from './draft-document'

/** The unsent message of one conversation, or the unsent text of an edited one. */
export interface Draft {
  readonly text: string
  /** Addresses in the image store. */
  readonly pictureUrls: readonly string[]
  readonly documents: readonly DraftDocument[]
  /** The models that will answer side by side; absent for a single model. */
  readonly comparedIds?: readonly string[]
}

/** The key of the draft of a conversation that does not exist yet. */
export const NEW_CHAT = 'new'

export const EMPTY_DRAFT: Draft = { text: '', pictureUrls: [], documents: [] }

/** The content of the message that a draft becomes. */
export function contentOf(
  { text: written, pictureUrls, documents }: Draft,
  now: string,
  takesFiles: boolean,
): string | ContentPart[] {
  const text = written.trim()
  const attached: ContentPart[] = [
    ...pictureUrls.map(url => ({ type: 'image_url' as const, image_url: { url, created_at: now } })),
    ...documents.map(document => documentPart(document, now, takesFiles)),
  ]
  if (attached.length === 0) return text
  return text === '' ? attached : [{ type: 'text', text }, ...attached]
}

/** Beyond this, the least recently written drafts are dropped. */
const COUNT_MAX = 50

/** Drafts by conversation or edited message. The tab keeps them: a top-up, a reload or a crash loses no text. */
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
    /** Puts a draft before what was written meanwhile. */
    giveBack(id: string, draft: Draft): void {
      const meanwhile = this.get(id)
      const text = meanwhile.text === '' ? draft.text : `${draft.text}\n\n${meanwhile.text}`
      const pictureUrls = [...draft.pictureUrls, ...meanwhile.pictureUrls]
      const documents = [...draft.documents, ...meanwhile.documents]
      this.set(id, { ...meanwhile, ...draft, text, pictureUrls, documents })
    },
    set(id: string, draft: Draft): void {
      const known = load()
      noteDraftFiles(filesOf(known.get(id)), filesOf(draft), new Date())
      known.delete(id)
      const { text, pictureUrls, documents, comparedIds = [] } = draft
      const chosenCount = pictureUrls.length + documents.length + comparedIds.length
      if (text !== '' || chosenCount > 0) known.set(id, draft)
      // Without room they are kept in memory, for as long as the page lives.
      keepInTab(DRAFTS_KEY, JSON.stringify([...known].slice(-COUNT_MAX)))
      notify()
    },
  }
}

function filesOf({ pictureUrls, documents }: Draft = EMPTY_DRAFT): string[] {
  return [...pictureUrls, ...documents.map(({ url }) => url)]
}

function read(): Map<string, Draft> {
  return new Map(listOf(parseStored(keptInTab(DRAFTS_KEY))).flatMap(parseEntry))
}

function parseEntry(value: unknown): [string, Draft][] {
  const [id, stored] = listOf(value)
  const draft = parseDraft(stored)
  return typeof id === 'string' && draft ? [[id, draft]] : []
}

/**
 * Null for anything else. Drafts of earlier versions lack some fields, and later ones may describe documents
 * differently.
 */
export function parseDraft(value: unknown): Draft | null {
  if (!isObject(value) || typeof value.text !== 'string' || !Array.isArray(value.pictureUrls)) return null
  const { text, pictureUrls, comparedIds: ids } = value
  if (!pictureUrls.every(url => typeof url === 'string')) return null
  const documents = listOf(value.documents).filter(isDraftDocument)
  const isCompared = Array.isArray(ids) && ids.every(one => typeof one === 'string')
  return {
    text,
    pictureUrls,
    documents,
    ...(isCompared && { comparedIds: ids.slice(0, COMPARED_COUNT_MAX) }),
  }
}

export const draftStore = createDraftStore()
