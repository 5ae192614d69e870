import { expect, test } from '@/test/support/test'
import { conversation, conversationsOn, storeBefore } from './browser-store'

test('a long history is listed as far as it is read', async ({ page }) => {
  const history = Array.from({ length: 200 }, (_, index) =>
    conversation(`c${index}`, `Question ${index} ${index === 3 ? 'about zebras' : ''}`, index),
  )
  await storeBefore(page, { conversationHistory: JSON.stringify(history) })
  await page.goto('/')
  const items = conversationsOn(page).getByRole('listitem')
  await expect(items.first()).toContainText('Question 199')
  await expect(items).toHaveCount(60)
  await items.last().scrollIntoViewIfNeeded()
  await expect(items).not.toHaveCount(60)
  await page.getByRole('searchbox').fill('zebras')
  await expect(items).toHaveCount(1)
  await items.getByRole('link').click()
  await expect(page.getByRole('article', { name: 'Your message' })).toContainText('about zebras')
})
