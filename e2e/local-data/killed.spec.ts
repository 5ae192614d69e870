import type { Page } from '@playwright/test'
import { expect, test } from '@/test/support/test'
import { archivedImages, conversation, storeBefore, stored, storedImages, storeImages } from './browser-store'

const IMAGE_COUNT = 32
const KEPT_COUNT = 20
/** In the middle of writing the placeholders, at the last placeholder, and in the middle of the deletions. */
const FATAL_WRITES = [3, 6, 9]

/** Simulates a page that dies at its n-th write to a database: nothing is written from then on. */
async function dieAtWrite(page: Page, fatalWrite: number): Promise<void> {
  await page.addInitScript(fatal => {
    let count = 0
    const die = () => {
      throw new DOMException('This page is gone.', 'AbortError')
    }
    for (const name of ['put', 'add', 'delete'] as const) {
      const write = IDBObjectStore.prototype[name]
      Object.defineProperty(IDBObjectStore.prototype, name, {
        value(this: IDBObjectStore, ...args: Parameters<typeof write>) {
          count += 1
          if (count < fatal) return Reflect.apply(write, this, args)
          Storage.prototype.setItem = die
          document.documentElement.dataset.died = 'yes'
          // The open transaction is lost with the page.
          this.transaction.abort()
          return die()
        },
      })
    }
  }, fatalWrite)
}

for (const fatalWrite of FATAL_WRITES) {
  test(`if a page is killed at write ${fatalWrite} of a migration, the next page completes it without losing data`, async ({
    page,
    context,
  }) => {
    const withPart = {
      ...conversation('a', '', 1),
      messages: [{ content: [{ type: 'image_url', image_url: { url: 'image 3' } }] }],
    }
    await storeBefore(page, { conversationHistory: JSON.stringify([withPart]), maxContext: '1024' })
    // Newest first: twenty that stay, six old ones that become placeholders, six recent ones that are deleted.
    const ageMs = (index: number) => (index < 26 ? index * 60_000 : 172_800_000 + index * 60_000)
    const records = Array.from({ length: IMAGE_COUNT }, (_, index) => ({
      image_url: { url: `image ${index}`, created_at: new Date(Date.now() - ageMs(index)).toISOString() },
      base64_json: `bytes ${index}`,
    }))
    await storeImages(page, { version: 1, options: { keyPath: 'id', autoIncrement: true }, records })
    await page.close()

    const killed = await context.newPage()
    await dieAtWrite(killed, fatalWrite)
    await killed.goto('/')
    await expect(killed.locator('html')).toHaveAttribute('data-died', 'yes')
    expect(await stored(killed, 'migrationsVersion')).toBe('1')
    await killed.close()

    const next = await context.newPage()
    await next.goto('/')
    await expect.poll(() => stored(next, 'migrationsVersion')).toBe('3')
    expect(await stored(next, 'maxContext')).toBe('2048')
    expect(await stored(next, 'conversationHistory')).toContain('"created_at":"2025-01-12"')
    const bytes = (await storedImages(next)).map(image => image.base64_json)
    expect(bytes.filter(text => text.startsWith('bytes'))).toHaveLength(KEPT_COUNT)
    expect(bytes.filter(text => text.startsWith('iVBOR'))).toHaveLength(6)
    const everywhere = [...bytes, ...(await archivedImages(next)).map(image => image.base64_json)]
    for (const { base64_json } of records) expect(everywhere).toContain(base64_json)
  })
}
