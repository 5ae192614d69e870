import type { Page } from '@playwright/test'
import { expect, test } from '@/test/support/test'
import { conversation, conversationsOn, storeBefore, stored } from './browser-store'

/** The specified limit for the history and the selected conversation together. */
const TOO_LARGE_BYTES = 4_718_592
const CONVERSATION_COUNT = 24
const KEPT_COUNT = 20

/** A history of exactly this many bytes. */
function historyOf(bytes: number): string {
  const history = Array.from({ length: CONVERSATION_COUNT }, (_, index) =>
    conversation(`c-${index}`, `Question ${index}`, index + 1),
  )
  const missing = bytes - JSON.stringify(history).length
  const first = history[0]?.messages[0]
  if (first) first.content += 'x'.repeat(missing)
  return JSON.stringify(history)
}

async function storedCount(page: Page): Promise<number> {
  return JSON.parse((await stored(page, 'conversationHistory')) ?? '[]').length
}

/** The size is checked some seconds after a change. */
async function letChecksRun(page: Page): Promise<void> {
  await page.clock.runFor('00:10')
}

for (const [bytes, keptCount] of [
  [TOO_LARGE_BYTES - 1, CONVERSATION_COUNT],
  [TOO_LARGE_BYTES, KEPT_COUNT],
] as const) {
  test(`a history of ${bytes} bytes keeps ${keptCount} chats in local storage, and lists all of them`, async ({
    page,
  }) => {
    await page.clock.install()
    await storeBefore(page, { conversationHistory: historyOf(bytes), migrationsVersion: '3' })
    expect((await stored(page, 'conversationHistory'))?.length).toBe(bytes)
    await page.goto('/')
    await expect(conversationsOn(page).getByRole('listitem')).toHaveCount(CONVERSATION_COUNT)
    await letChecksRun(page)
    await expect
      .poll(async () => {
        await letChecksRun(page)
        return storedCount(page)
      })
      .toBe(keptCount)
    await expect(conversationsOn(page).getByRole('listitem')).toHaveCount(CONVERSATION_COUNT)
  })
}
