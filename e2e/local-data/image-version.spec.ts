import type { Page } from '@playwright/test'
import { expect, test } from '@/test/support/test'
import { storeBefore, storeImages } from './browser-store'

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** As another program reads the store: by the plain interface, at the specified version. */
function readAtVersionOne(page: Page): Promise<{ version: number; texts: string[] }> {
  return page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const request = indexedDB.open('image-urls-db', 1)
        request.onerror = () => reject(request.error)
        request.onsuccess = () => {
          const { result: database } = request
          const all = database.transaction('image_urls').objectStore('image_urls').getAll()
          all.onsuccess = () => {
            database.close()
            const texts = all.result.map(({ base64_json }: { base64_json: string }) => base64_json)
            resolve({ version: database.version, texts })
          }
        }
      }),
  )
}

test('a picture that is put away here is found by a program that asks for version 1', async ({
  page,
  funded,
}) => {
  expect(funded.creditId).toBeTruthy()
  await page.goto('/')
  const file = { name: 'pixel.png', mimeType: 'image/png', buffer: Buffer.from(PIXEL, 'base64') }
  await page.locator('input[type=file]').first().setInputFiles(file)
  await page.getByRole('textbox', { name: 'Message' }).fill('What is this?')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('article', { name: 'Your message' }).getByRole('img')).toBeVisible()
  const { version, texts } = await readAtVersionOne(page)
  expect(version).toBe(1)
  expect(texts).toEqual([expect.stringMatching(/^(iVBORw|UklGR|\/9j\/)[A-Za-z0-9+/]*=*$/)])
})

test('a store of version 10 from an earlier build becomes version 1 with all of its pictures', async ({
  page,
}) => {
  const records = Array.from({ length: 12 }, (_, index) => ({
    image_url: { url: `image-store:${index}`, created_at: new Date().toISOString() },
    base64_json: index % 2 === 0 ? `data:image/png;base64,iVBORw${index}` : `iVBORw${index}`,
  }))
  await storeBefore(page, { migrationsVersion: '3' })
  await storeImages(page, { version: 10, options: { keyPath: 'image_url.url' }, records })
  await page.goto('/')
  await expect
    .poll(() => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name)))
    .not.toContain('image-urls-db-moving')
  await expect
    .poll(() =>
      page.evaluate(
        async () => (await indexedDB.databases()).find(({ name }) => name === 'image-urls-db')?.version,
      ),
    )
    .toBe(1)
  const { texts } = await readAtVersionOne(page)
  expect(texts.sort()).toEqual(records.map((_, index) => `iVBORw${index}`).sort())
})
