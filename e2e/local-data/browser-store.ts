import type { Locator, Page } from '@playwright/test'

/** Chromium's quota per origin, in UTF-16 code units. */
const LIMIT_BYTES = 5_242_880
const SEED_PATH = '/seed.html'

export function answerOn(page: Page): Locator {
  return page.getByRole('article', { name: 'Assistant message' })
}

export function conversationsOn(page: Page): Locator {
  return page.getByRole('navigation', { name: 'Conversations' })
}

export async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

/** Stores texts as if from an earlier visit, on a page of this origin that has none of our scripts. */
export async function storeBefore(page: Page, texts: Record<string, string>): Promise<void> {
  await page.route(`**${SEED_PATH}`, route => route.fulfill({ contentType: 'text/html', body: '' }))
  await page.goto(SEED_PATH)
  await page.evaluate(entries => {
    for (const [key, text] of entries) localStorage.setItem(key, text)
  }, Object.entries(texts))
}

export function stored(page: Page, key: string): Promise<string | null> {
  return page.evaluate(name => localStorage.getItem(name), key)
}

export async function storedJson(page: Page, key: string): Promise<unknown> {
  return JSON.parse((await stored(page, key)) ?? 'null')
}

/** Fills local storage until only this many characters fit. */
export async function fillDisk(page: Page, roomBytes: number): Promise<void> {
  await page.evaluate(
    ({ limit, room }) => {
      let used = 0
      for (const [key, text] of Object.entries(localStorage)) used += key.length + String(text).length
      localStorage.setItem('filler', 'x'.repeat(limit - used - 'filler'.length - room))
    },
    { limit: LIMIT_BYTES, room: roomBytes },
  )
}

/** A conversation with exactly the specified fields. */
export function conversation(id: string, question: string, day: number) {
  return {
    id,
    created_at: new Date(Date.UTC(2026, 0, day)).toISOString(),
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: `An answer to ${question}` },
    ],
  }
}

/** Thirty conversations, of which the older ones move to the archive. */
export function largeHistory() {
  return Array.from({ length: 30 }, (_, index) =>
    conversation(`old-${index}`, `Question number ${index + 100} ${'word '.repeat(15_900)}`, index + 1),
  )
}

interface ForeignImages {
  version: number
  options: IDBObjectStoreParameters
  records: object[]
}

/** Creates an image store as another program would, through the plain interface. */
export async function storeImages(page: Page, images: ForeignImages): Promise<void> {
  await page.evaluate(
    ({ version, options, records }) =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.open('image-urls-db', version)
        request.onupgradeneeded = () => {
          const store = request.result.createObjectStore('image_urls', options)
          for (const record of records) store.put(record)
        }
        request.onerror = () => reject(request.error)
        request.onsuccess = () => {
          request.result.close()
          resolve()
        }
      }),
    images,
  )
}

export function storedImages(page: Page): Promise<{ base64_json: string }[]> {
  return recordsOf<{ base64_json: string }>(page, 'image-urls-db', 'image_urls')
}

/**
 * Opens the database as a program does that knows only the specification's version; it would fail if there were a later
 * one.
 */
export function imagesOfVersion1(page: Page): Promise<{ image_url: { url: string }; base64_json: string }[]> {
  return recordsOf(page, 'image-urls-db', 'image_urls', 1)
}

export function archivedImages(page: Page): Promise<{ base64_json: string }[]> {
  return recordsOf<{ base64_json: string }>(page, 'tuppence-archive', 'images')
}

/** All conversations in the archive, as text. */
export async function archivedText(page: Page): Promise<string> {
  return JSON.stringify(await recordsOf(page, 'tuppence-archive', 'conversations'))
}

function recordsOf<Item>(page: Page, database: string, store: string, version?: number): Promise<Item[]> {
  return page.evaluate(
    names =>
      new Promise<Item[]>((resolve, reject) => {
        const request = indexedDB.open(names.database, names.version)
        request.onerror = () => reject(request.error)
        request.onsuccess = () => {
          const all = request.result.transaction(names.store).objectStore(names.store).getAll()
          all.onsuccess = () => {
            request.result.close()
            resolve(all.result)
          }
        }
      }),
    { database, store, version },
  )
}
