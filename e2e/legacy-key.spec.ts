import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { type StandInUpstream, startStandInUpstream } from '@/test/stand-ins/upstream'
import { type AppProcess, startApp } from '@/test/support/app-process'
import { accessibilityViolations } from '@/test/support/axe'
import { PHONE } from '@/test/support/phone'
import { checkLedger, runScript } from '@/test/support/run-script'
import { expect, test } from '@/test/support/test'

/** For a computer and for a phone, because a server with the keys of an old site takes long to prepare. */
const [KEY, PHONE_KEY] = [`sk-${'e'.repeat(40)}`, `sk-${'f'.repeat(40)}`]

let directory: string
let upstream: StandInUpstream
let app: AppProcess

test.beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tuppence-legacy-'))
  const file = join(directory, 'keys.csv')
  writeFileSync(file, `${KEY},3.21\n${PHONE_KEY},3.21\n`)
  const imported = await runScript(
    directory,
    'scripts/ops.ts',
    'import-keys',
    file,
    '--reason',
    'the old site',
  )
  expect(imported).toMatchObject({ exitCode: 0 })
  upstream = await startStandInUpstream()
  app = await startApp({ dataDirectory: directory, upstreamBaseUrl: upstream.baseUrl })
})
test.afterEach(async () => {
  await app.stop()
  await upstream.close()
  rmSync(directory, { recursive: true, force: true })
})

test('the balance of an API key from the old site can be turned into credit, starting from the first page', async ({
  page,
  browser,
}) => {
  await turnIntoCredit(page, KEY)
  const phone = await browser.newContext(PHONE)
  await turnIntoCredit(await phone.newPage(), PHONE_KEY)
  await phone.close()
  await app.stop()
  expect(await checkLedger(directory)).toMatchObject({ exitCode: 0 })
})

async function turnIntoCredit(page: Page, apiKey: string): Promise<void> {
  await page.goto(`${app.baseUrl}/robots.txt`)
  await page.evaluate(key => localStorage.setItem('virtual_api_key', key), apiKey)
  await page.goto(app.baseUrl)
  await page.getByRole('link', { name: 'Turn it into credit' }).click()

  const section = page.getByRole('region', { name: 'Balance from an earlier version' })
  await expect(section.getByText('It holds $3.21.')).toBeVisible()
  expect(await accessibilityViolations(page)).toEqual([])
  await section.getByRole('button', { name: 'Turn into credit' }).click()

  await expect(page.getByText('The balance is now part of your credit.')).toBeVisible()
  await expect(page.getByRole('status', { name: 'Balance' })).toContainText('$3.21')
  await expect(section).toBeHidden()
  expect(page.url()).not.toContain(apiKey)
  const kept = await page.evaluate(() => ({ ...localStorage }))
  expect(kept).toMatchObject({ credit_id: expect.any(String) })
  expect(kept).not.toHaveProperty('virtual_api_key')

  await page.reload()
  await expect(page.getByRole('status', { name: 'Balance' })).toContainText('$3.21')
}
