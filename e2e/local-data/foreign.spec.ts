import { expect, test } from '@/test/support/test'
import { answerOn, ask, conversationsOn, storeBefore, stored, storeImages } from './browser-store'

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('conversations with numeric ids and dates, minimal messages and a selected id alone are not treated as damaged', async ({
  page,
}) => {
  const history = [
    {
      id: 1,
      created_at: 1_746_093_600_000,
      messages: [{ id: 5, content: 'Asked by number', created_at: 1_746_093_600_000 }],
    },
    {
      id: 'b',
      created_at: '2025-01-12',
      messages: [{ content: 'Asked bare' }, { content: 'Answered bare' }],
    },
  ]
  await storeBefore(page, {
    conversationHistory: JSON.stringify(history),
    selectedConversation: '"b"',
    settings: '{"showNewChatOnStartup":false}',
  })
  await page.goto('/')
  await expect(answerOn(page)).toContainText('Answered bare')
  await expect(conversationsOn(page).getByText('Asked by number')).toHaveCount(1)
  const keys = await page.evaluate(() => Object.keys(localStorage))
  expect(keys.filter(key => key.includes('damaged'))).toEqual([])
})

test('conversations whose ids are not valid in an address can be opened and reloaded', async ({ page }) => {
  const history = ['a', 'b\ud800', 'c%'].map(id => ({
    id,
    created_at: '2025-01-12',
    messages: [{ content: `Asked in ${id[0]}` }, { content: `Answered in ${id[0]}` }],
  }))
  await storeBefore(page, { conversationHistory: JSON.stringify(history) })
  await page.goto('/')
  for (const name of ['b', 'c']) {
    await conversationsOn(page).getByText(`Asked in ${name}`).click()
    await expect(answerOn(page)).toContainText(`Answered in ${name}`)
    await page.reload()
    await expect(answerOn(page)).toContainText(`Answered in ${name}`)
  }
  await expect(conversationsOn(page).getByText('Asked in a')).toHaveCount(1)
})

test('a picture stored under its web address is shown and sent from the image store, not fetched', async ({
  page,
  funded: _funded,
  upstream,
}) => {
  const url = 'https://images.example/1.png'
  const part = { type: 'image_url', image_url: url, created_at: '2025-04-04' }
  const messages = [{ content: [{ type: 'text', text: 'Which coin?' }, part] }, { content: 'A penny.' }]
  await storeBefore(page, {
    conversationHistory: JSON.stringify([{ id: 'a', created_at: '2025-04-04', messages }]),
    // A model that accepts pictures.
    selectedModel: 'standin/large',
  })
  const records = [{ image_url: url, created_at: '2025-04-04', base64_json: PIXEL }]
  await storeImages(page, { version: 10, options: { keyPath: 'image_url' }, records })
  const fetched: string[] = []
  page.on('request', request => fetched.push(request.url()))
  await page.goto('/#a')
  const picture = page.getByRole('article', { name: 'Your message' }).getByRole('img')
  await expect(picture).toHaveAttribute('src', `data:image/png;base64,${PIXEL}`)
  await ask(page, 'And now?')
  await expect(answerOn(page)).toHaveCount(2)
  await expect.poll(async () => JSON.stringify(await upstream.requests())).toContain(PIXEL)
  expect(fetched.filter(address => address.includes('images.example'))).toEqual([])
  expect(await stored(page, 'conversationHistory')).toContain('2025-04-04')
})
