import type { Page } from '@playwright/test'
import { expect, test } from './support/test'

const LIMIT_BYTES = 5_242_880

function answerOn(page: Page) {
  return page.getByRole('article', { name: 'Assistant message' })
}

async function ask(page: Page, text: string) {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

/** Stores texts as a visitor has them who was here before, and undoes the marker of this visit. */
async function storeBefore(page: Page, texts: Record<string, string>) {
  await page.goto('/account')
  await page.waitForFunction(() => localStorage.getItem('migrationsVersion') !== null)
  await page.evaluate(entries => {
    localStorage.removeItem('migrationsVersion')
    for (const [key, text] of entries) localStorage.setItem(key, text)
  }, Object.entries(texts))
}

const stored = (page: Page, key: string) => page.evaluate(name => localStorage.getItem(name), key)

/** Leaves room for so many characters. */
async function fillDisk(page: Page, roomBytes: number) {
  await page.evaluate(
    ({ limit, room }) => {
      let used = 0
      for (const [key, text] of Object.entries(localStorage)) used += key.length + String(text).length
      localStorage.setItem('filler', 'x'.repeat(limit - used - 'filler'.length - room))
    },
    { limit: LIMIT_BYTES, room: roomBytes },
  )
}

function conversation(id: string, question: string, day: number) {
  const date = new Date(Date.UTC(2026, 0, day)).toISOString()
  return {
    id,
    created_at: date,
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: `An answer to ${question}` },
    ],
  }
}

test('a full disk opens the warning, and the answer is there after all once the page is opened again', async ({
  page,
  funded,
}) => {
  expect(funded.creditId).toBeTruthy()
  await page.goto('/')
  await fillDisk(page, 200)
  await ask(page, 'Does this get lost?')
  const dialog = page.getByRole('dialog', { name: 'Storage full' })
  await expect(dialog).toBeVisible()
  await expect(dialog.getByRole('meter', { name: 'Local storage' })).toHaveAttribute(
    'aria-valuetext',
    /MB used/,
  )
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toBeHidden()
  await expect(answerOn(page)).toContainText('You said: Does this get lost?')

  await page.reload()
  await page
    .getByRole('navigation', { name: 'Conversations' })
    .getByText('Does this get lost?')
    .first()
    .click()
  await expect(answerOn(page)).toContainText('You said: Does this get lost?')
})

test('older chats move to the archive, where list and search still find them', async ({ page }) => {
  const history = Array.from({ length: 30 }, (_, index) =>
    conversation(`old-${index}`, `Question number ${index + 100} ${'word '.repeat(15_900)}`, index + 1),
  )
  await storeBefore(page, { conversationHistory: JSON.stringify(history) })
  await page.goto('/')
  const conversations = page.getByRole('navigation', { name: 'Conversations' })
  await expect
    .poll(async () => JSON.parse((await stored(page, 'conversationHistory')) ?? '[]').length, {
      timeout: 20_000,
    })
    .toBe(20)
  await expect(conversations.getByText('Question number 100')).toHaveCount(1)
  await conversations.getByRole('searchbox').fill('number 103')
  await conversations.getByText('Question number 103').first().click()
  await expect(page.getByRole('article', { name: 'Your message' })).toContainText('Question number 103')
})

test('damaged data never breaks the page, and is set aside instead of overwritten', async ({
  page,
  funded,
}) => {
  expect(funded.creditId).toBeTruthy()
  await storeBefore(page, {
    conversationHistory: '[{"id":"half',
    selectedConversation: '{"id":12,',
    settings: 'dark',
    maxContext: 'many',
    utm: '[',
  })
  await page.goto('/')
  await ask(page, 'Still working?')
  await expect(answerOn(page)).toContainText('You said: Still working?')
  expect(await stored(page, 'conversationHistory.damaged.1')).toBe('[{"id":"half')
  expect(await stored(page, 'selectedConversation.damaged.1')).toBe('{"id":12,')
})

test('two tabs writing at once keep both conversations', async ({ page, context, funded }) => {
  expect(funded.creditId).toBeTruthy()
  const other = await context.newPage()
  await page.goto('/')
  await other.goto('/')
  await ask(page, 'Asked on the left')
  await ask(other, 'Asked on the right')
  for (const tab of [page, other]) {
    const conversations = tab.getByRole('navigation', { name: 'Conversations' })
    await expect(conversations.getByText('Asked on the left')).toHaveCount(1)
    await expect(conversations.getByText('Asked on the right')).toHaveCount(1)
  }
  await expect(answerOn(page)).toContainText('You said: Asked on the left')
  await expect(answerOn(other)).toContainText('You said: Asked on the right')
  await page.reload()
  const conversations = page.getByRole('navigation', { name: 'Conversations' })
  await expect(conversations.getByText('Asked on the left')).toHaveCount(1)
  await expect(conversations.getByText('Asked on the right')).toHaveCount(1)
})

test('a store of the first version is brought up to date, pictures included', async ({ page }) => {
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
  await page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.open('image-urls-db', 1)
        request.onupgradeneeded = () => {
          const images = request.result.createObjectStore('image_urls', {
            keyPath: 'id',
            autoIncrement: true,
          })
          const ageMs = (index: number) => (index < 24 ? index * 60_000 : 172_800_000 + index * 60_000)
          for (let index = 0; index < 30; index += 1) {
            const created_at = new Date(Date.now() - ageMs(index)).toISOString()
            images.put({ image_url: { url: `image ${index}`, created_at }, base64_json: `bytes ${index}` })
          }
        }
        request.onerror = () => reject(request.error)
        request.onsuccess = () => {
          request.result.close()
          resolve()
        }
      }),
  )
  await page.goto('/')
  await expect.poll(() => stored(page, 'migrationsVersion')).toBe('3')
  expect(await stored(page, 'maxContext')).toBe('2048')
  expect(await stored(page, 'conversationHistory')).toContain('"created_at":"2025-01-12"')
  const images = await page.evaluate(
    () =>
      new Promise<{ base64_json: string }[]>((resolve, reject) => {
        const request = indexedDB.open('image-urls-db')
        request.onerror = () => reject(request.error)
        request.onsuccess = () => {
          const all = request.result.transaction('image_urls').objectStore('image_urls').getAll()
          all.onsuccess = () => resolve(all.result)
        }
      }),
  )
  expect(images.filter(image => image.base64_json.startsWith('bytes'))).toHaveLength(20)
  expect(images.filter(image => image.base64_json.startsWith('iVBOR'))).toHaveLength(6)
})

test('a newer version keeps its fields and its marker', async ({ page, funded }) => {
  expect(funded.creditId).toBeTruthy()
  const newer = { ...conversation('a', 'From the future', 1), branches: [{ at: 3 }] }
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
  expect(await stored(page, 'conversationHistory')).toContain('"branches":[{"at":3}]')
})

test('a stored language switches the page and keeps the path', async ({ page }) => {
  await storeBefore(page, { settings: '{"language":"de"}' })
  await page.goto('/account?from=test')
  await expect(page).toHaveURL(/\/de\/account\?from=test$/)
})

test('everything can be taken to another browser in one file', async ({ page, browser, funded }) => {
  await storeBefore(page, { conversationHistory: JSON.stringify([conversation('a', 'To be carried', 1)]) })
  await page.goto('/account')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export everything' }).click()
  const path = await (await download).path()

  const elsewhere = await (await browser.newContext()).newPage()
  await elsewhere.goto(new URL('/account', page.url()).href)
  await elsewhere.getByLabel(/An exported file is added/).setInputFiles(path)
  await expect(elsewhere.getByText('1 chat and 0 pictures imported.')).toBeVisible()
  expect(await stored(elsewhere, 'credit_id')).toBe(funded.creditId)
  await elsewhere.goto(new URL('/', page.url()).href)
  await expect(
    elsewhere.getByRole('navigation', { name: 'Conversations' }).getByText('To be carried'),
  ).toHaveCount(1)
  await elsewhere.context().close()
})

test('deleting everything asks for a word, and keeps the credit by default', async ({ page, funded }) => {
  await storeBefore(page, { conversationHistory: JSON.stringify([conversation('a', 'To be deleted', 1)]) })
  await page.goto('/account')
  await page.getByRole('button', { name: 'Delete everything…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete everything' })
  await expect(dialog.getByText(/stays in this browser with its balance/)).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Delete now' })).toBeDisabled()
  await dialog.getByRole('textbox').fill('delete')
  const reloaded = page.waitForEvent('load')
  await dialog.getByRole('button', { name: 'Delete now' }).click()
  await reloaded
  expect(await stored(page, 'conversationHistory')).toBeNull()
  expect(await stored(page, 'credit_id')).toBe(funded.creditId)
})
