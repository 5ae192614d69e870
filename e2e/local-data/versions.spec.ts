import { expect, test } from '@/test/support/test'
import { answerOn, ask, conversation, storeBefore, stored, storedImages, storeImages } from './browser-store'

test('data of the first version is migrated, including the pictures', async ({ page }) => {
  const withParts = {
    ...conversation('a', 'What is on this picture?', 1),
    messages: [
      {
        content: [
          { type: 'text', text: 'What is on this picture?' },
          { type: 'image_url', image_url: { url: 'https://images.example/1.png' } },
        ],
      },
    ],
  }
  await storeBefore(page, { conversationHistory: JSON.stringify([withParts]), maxContext: '1024' })
  const ageMs = (index: number) => (index < 24 ? index * 60_000 : 172_800_000 + index * 60_000)
  const records = Array.from({ length: 30 }, (_, index) => ({
    image_url: { url: `image ${index}`, created_at: new Date(Date.now() - ageMs(index)).toISOString() },
    base64_json: `bytes ${index}`,
  }))
  await storeImages(page, { version: 1, options: { keyPath: 'id', autoIncrement: true }, records })
  await page.goto('/')
  await expect.poll(() => stored(page, 'migrationsVersion')).toBe('3')
  expect(await stored(page, 'maxContext')).toBe('2048')
  expect(await stored(page, 'conversationHistory')).toContain('"created_at":"2025-01-12"')
  const images = await storedImages(page)
  expect(images.filter(image => image.base64_json.startsWith('bytes'))).toHaveLength(20)
  expect(images.filter(image => image.base64_json.startsWith('iVBOR'))).toHaveLength(6)
})

test('a second tab that reads an outdated version number does not repeat the migration', async ({
  page,
  context,
}) => {
  await storeBefore(page, {
    conversationHistory: JSON.stringify([conversation('a', 'Question', 1)]),
    maxContext: '1024',
  })
  await page.goto('/')
  await expect.poll(() => stored(page, 'migrationsVersion')).toBe('3')
  const other = await context.newPage()
  // A tab in another process may see the writes of the first one with a delay.
  await other.addInitScript(() => {
    const { getItem, setItem } = Storage.prototype
    const isMarker = (key: string) => key === 'migrationsVersion'
    Storage.prototype.getItem = function (key) {
      return isMarker(key) ? null : Reflect.apply(getItem, this, [key])
    }
    Storage.prototype.setItem = function (key, text) {
      if (isMarker(key)) document.documentElement.dataset.repeated = 'yes'
      Reflect.apply(setItem, this, [key, text])
    }
    const { request } = LockManager.prototype
    LockManager.prototype.request = async function (this: LockManager, ...args: unknown[]) {
      const result: unknown = await Reflect.apply(request, this, args)
      if (args[0] === 'tuppence-migrations') document.documentElement.dataset.looked = 'yes'
      return result
    }
  })
  await other.goto('/')
  await expect(other.locator('html')).toHaveAttribute('data-looked', 'yes')
  await expect(other.locator('html')).not.toHaveAttribute('data-repeated', 'yes')
})

test('data of a newer version keeps its unknown fields and its version number', async ({
  page,
  funded: _funded,
}) => {
  const newer = { ...conversation('a', 'From the future', 1), threads: [{ at: 3 }] }
  await storeBefore(page, {
    conversationHistory: JSON.stringify([newer]),
    migrationsVersion: '9',
    settings: '{"zoom":2}',
  })
  await page.goto('/')
  await ask(page, 'Hello')
  await expect(answerOn(page)).toContainText('You said: Hello')
  await page.goto('/account')
  await page.getByRole('switch', { name: /^Enter sends/ }).click()
  expect(await stored(page, 'migrationsVersion')).toBe('9')
  expect(JSON.parse((await stored(page, 'settings')) ?? '{}')).toMatchObject({ zoom: 2, enterToSend: false })
  expect(await stored(page, 'conversationHistory')).toContain('"threads":[{"at":3}]')
})

test('a language stored in the settings redirects to the page in that language, with the same path', async ({
  page,
}) => {
  await storeBefore(page, { settings: '{"language":"de"}' })
  await page.goto('/account?from=test')
  await expect(page).toHaveURL(/\/de\/account\?from=test$/)
})
