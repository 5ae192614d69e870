import type { Archive } from '../archive/archive'
import { KEPT_CONVERSATION_COUNT } from '../archive/clean-up-conversations'
import type { ConversationRepository } from '../conversations/conversation-repository'
import { compareNewestFirst } from '../conversations/conversation-time'
import { isCreditId } from '../credit-id'
import type { ImageTable } from '../images/image-table'
import { patchSettings, readSettings } from '../settings/settings'
import type { GuardedStorage } from '../storage/guarded-storage'
import { isRecord, parseJson } from '../storage/json'
import { CREDIT_ID_KEY, MAX_CONTEXT_KEY, SETTINGS_KEY, VIRTUAL_API_KEY_KEY } from '../storage/storage-keys'
import type { ReadExport } from './read-export'

/** Taken over when this browser has none of its own. */
const FILLED_IN_KEYS = [MAX_CONTEXT_KEY, VIRTUAL_API_KEY_KEY]

export interface ImportOptions {
  file: ReadExport
  storage: GuardedStorage
  repository: ConversationRepository
  archive: Pick<Archive, 'put'>
  openImages: () => Promise<Pick<ImageTable, 'get' | 'save'>>
}

export interface ImportResult {
  conversationCount: number
  imageCount: number
  skippedCount: number
  /** `kept`: the file holds another credit than this browser, whose own was not touched. */
  credit: 'none' | 'imported' | 'same' | 'kept'
}

/** Merges a file into what is here: the newer copy of a conversation wins, nothing here is lost. */
export async function importData(options: ImportOptions): Promise<ImportResult> {
  const { file, storage, repository, archive } = options
  const sorted = [...file.conversations].sort(compareNewestFirst)
  const isForHere = (id: string, index: number) =>
    index < KEPT_CONVERSATION_COUNT || repository.get(id) !== null
  const forHere = sorted.filter(({ id }, index) => isForHere(id, index))
  const older = sorted.filter(item => !forHere.includes(item))
  if (older.length > 0) await archive.put(older)
  if (!repository.restore(forHere)) await archive.put(forHere)
  importSettings(storage, file.texts[SETTINGS_KEY])
  for (const key of FILLED_IN_KEYS) {
    const text = file.texts[key]
    if (text !== undefined && storage.read(key) === null) storage.write(key, text)
  }
  return {
    conversationCount: sorted.length,
    imageCount: await importImages(options),
    skippedCount: file.skippedCount,
    credit: importCredit(storage, file.texts[CREDIT_ID_KEY]),
  }
}

async function importImages({ file, openImages }: ImportOptions): Promise<number> {
  if (file.images.length === 0) return 0
  const images = await openImages()
  let count = 0
  for (const image of file.images) {
    if (await images.get(image.image_url.url)) continue
    await images.save(image)
    count += 1
  }
  return count
}

/** What was chosen here stays; what was not is taken from the file. */
function importSettings(storage: GuardedStorage, text: string | undefined): void {
  const imported = text === undefined ? null : parseJson(text)
  if (!isRecord(imported) || storage.read(SETTINGS_KEY) !== null) return
  const { theme, language, ...rest } = readSettings(imported)
  const chosen = {
    ...(imported.theme === theme && { theme }),
    ...(imported.language === language && { language }),
  }
  storage.write(SETTINGS_KEY, JSON.stringify(patchSettings(imported, { ...rest, ...chosen })))
}

function importCredit(storage: GuardedStorage, creditId: string | undefined): ImportResult['credit'] {
  if (creditId === undefined || !isCreditId(creditId)) return 'none'
  const own = storage.read(CREDIT_ID_KEY)
  if (own === creditId) return 'same'
  if (own !== null && own !== '') return 'kept'
  return storage.write(CREDIT_ID_KEY, creditId) ? 'imported' : 'none'
}
