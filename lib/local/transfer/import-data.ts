import { listOf } from '@/lib/http/domain/is-object'
import type { Archive } from '../archive/archive'
import { KEPT_CONVERSATION_COUNT } from '../archive/create-history-store'
import type { ConversationRepository } from '../conversations/conversation-repository'
import { compareNewestFirst } from '../conversations/conversation-time'
import { mergeConversation } from '../conversations/merge-conversations'
import { isCreditId, readCreditId } from '../credit-id'
import { archiveExists } from '../database/database-names'
import type { DocumentTable } from '../documents/document-table'
import type { ImageTable } from '../images/image-table'
import { isPlaceholder } from '../images/placeholder'
import { isPrompt } from '../prompts/prompt'
import type { PromptStore } from '../prompts/prompt-store'
import type { GuardedStorage } from '../storage/guarded-storage'
import { isSameJson, parseStored } from '../storage/json'
import { CREDIT_ID_KEY, PROMPTS_KEY } from '../storage/storage-keys'
import { LEFT_OUT_KEYS } from './export-data'
import type { ReadExport } from './read-export'

/** Not copied as they are: each is handled separately, or not at all. */
const HANDLED_KEYS = [...LEFT_OUT_KEYS, CREDIT_ID_KEY, PROMPTS_KEY]

export interface ImportOptions {
  file: ReadExport
  storage: GuardedStorage
  repository: ConversationRepository
  archive: Pick<Archive, 'get' | 'put'>
  prompts: Pick<PromptStore, 'getSnapshot' | 'put'>
  openImages: () => Promise<Pick<ImageTable, 'get' | 'save'>>
  openDocuments: () => Promise<Pick<DocumentTable, 'get' | 'save'>>
}

export interface ImportResult {
  /** How many the file has brought something of. */
  conversationCount: number
  imageCount: number
  documentCount: number
  /** Whether the file has something, all of which was here before. */
  isKnown: boolean
  skippedCount: number
  /**
   * `otherId`: the file contains another credit than this browser, whose own was not changed. If the browser has none,
   * the file's is offered: whoever made the file can spend what is added to it.
   */
  credit: 'none' | 'same' | { readonly otherId: string } | { readonly offeredId: string }
  /**
   * The file's settings that this browser lacks, by their keys; null if there are none. Whoever made the file decides
   * with them what every chat is told, how much of it is sent, and what may be spent without asking, so they are only
   * offered, too.
   */
  offeredSettings: OfferedSettings | null
}

export type OfferedSettings = Readonly<Record<string, string>>

/** Merges a file into what is here: the newer copy of a conversation wins, and nothing here is lost. */
export async function importData(options: ImportOptions): Promise<ImportResult> {
  const { file, storage, repository, archive, prompts } = options
  const sorted = [...file.conversations].sort(compareNewestFirst)
  const isForHere = (id: string, index: number) =>
    index < KEPT_CONVERSATION_COUNT || repository.get(id) !== null
  const forHere = sorted.filter(({ id }, index) => isForHere(id, index))
  const older = sorted.filter(item => !forHere.includes(item))
  const conversationCount = await countNews(options)
  if (older.length > 0) await archive.put(older)
  if (!repository.restore(forHere)) await archive.put(forHere)
  const promptCount = importPrompts(prompts, file.texts[PROMPTS_KEY])
  const imageCount = await importImages(options)
  const documentCount = await importDocuments(options)
  const itemCount = sorted.length + file.images.length + file.documents.length
  return {
    conversationCount,
    imageCount,
    documentCount,
    isKnown: itemCount > 0 && conversationCount + promptCount + imageCount + documentCount === 0,
    skippedCount: file.skippedCount,
    credit: creditIn(file, storage),
    offeredSettings: settingsIn(file, storage),
  }
}

/** How many of the file's conversations are not here yet, or not as they are in the file. */
async function countNews({ file, repository, archive }: ImportOptions): Promise<number> {
  // Looking into an archive that does not exist would create it.
  const hasArchive = await archiveExists()
  const newIds = new Set<string>()
  for (const conversation of file.conversations) {
    const { id } = conversation
    const known = repository.get(id) ?? (hasArchive ? await archive.get(id) : null)
    if (!known || !isSameJson(mergeConversation(known, conversation), known)) newIds.add(id)
  }
  return newIds.size
}

/** Including those of a newer version or another product. */
function settingsIn({ texts }: ReadExport, storage: GuardedStorage): OfferedSettings | null {
  const lacking = Object.entries(texts).filter(
    ([key]) => !HANDLED_KEYS.includes(key) && storage.read(key) === null,
  )
  return lacking.length === 0 ? null : Object.fromEntries(lacking)
}

/** Takes what was offered, except what this browser has got by now. Returns false if there was no room for all of it. */
export function takeSettings(storage: GuardedStorage, offered: OfferedSettings): boolean {
  const lacking = Object.entries(offered).filter(([key]) => storage.read(key) === null)
  return lacking.map(([key, text]) => storage.write(key, text)).every(Boolean)
}

/** Adds those that are missing, as far as there is room. Returns how many are. */
function importPrompts(store: ImportOptions['prompts'], text = ''): number {
  const knownIds = new Set(store.getSnapshot().map(({ id }) => id))
  const prompts = listOf(parseStored(text))
    .filter(isPrompt)
    .filter(({ id }) => !knownIds.has(id))
  if (prompts.length > 0 && !store.put(prompts)) for (const prompt of prompts) store.put([prompt])
  return prompts.length
}

async function importImages({ file, openImages }: ImportOptions): Promise<number> {
  if (file.images.length === 0) return 0
  const images = await openImages()
  let count = 0
  for (const image of file.images) {
    const own = await images.get(image.image_url.url)
    if (own && !(isPlaceholder(own) && !isPlaceholder(image))) continue
    await images.save(image)
    count += 1
  }
  return count
}

/** A stored document never changes: one with the same address is identical. */
async function importDocuments({ file, openDocuments }: ImportOptions): Promise<number> {
  if (file.documents.length === 0) return 0
  const table = await openDocuments()
  let count = 0
  for (const { document, bytes } of file.documents) {
    if (await table.get(document.url)) continue
    await table.save(document, bytes)
    count += 1
  }
  return count
}

function creditIn({ texts }: ReadExport, storage: GuardedStorage): ImportResult['credit'] {
  const creditId = readCreditId(texts[CREDIT_ID_KEY] ?? null)
  if (creditId === null || !isCreditId(creditId)) return 'none'
  const own = readCreditId(storage.read(CREDIT_ID_KEY))
  if (own === creditId) return 'same'
  return own === null ? { offeredId: creditId } : { otherId: creditId }
}
