import { type Browser, expect, type Request } from '@playwright/test'
import { startWalletStandIn } from '@/test/stand-ins/wallet'
import { answerOn, ask } from '../local-data/browser-store'
import type { Visitor } from './canary-calls'
import type { SecretName, Secrets } from './canary-secrets'

const PASSPHRASE = 'a passphrase of a canary'

/** Signed in, asks and connects a wallet. Returns what its browser told to whom it should not. */
export async function browse(
  browser: Browser,
  input: { visitor: Visitor; secrets: Secrets; authUrl: string },
): Promise<string[]> {
  const { secrets, authUrl } = input
  const { baseUrl, creditId, cookie } = input.visitor
  const wallet = await startWalletStandIn()
  secrets.add('wallet', new URL(wallet.nwcUrl).searchParams.get('secret') ?? '')
  secrets.add('passphrase', PASSPHRASE)
  const context = await browser.newContext({ baseURL: baseUrl })
  const [name = '', value = ''] = cookie.split(/=(.*)/)
  await context.addCookies([{ name, value, url: baseUrl }])
  const requests: Request[] = []
  const told: string[] = []
  const look = (what: string, text: string, allowed: readonly SecretName[] = []) => {
    const leaks = secrets.leaksIn(text, allowed)
    if (leaks.length > 0) told.push(`${what} tells ${leaks.join(', ')}`)
  }
  context.on('request', request => requests.push(request))
  context.on('console', message => look('the console', message.text()))
  const page = await context.newPage()
  page.on('framenavigated', frame => look('an address', frame.url()))
  page.on('websocket', socket => {
    look('a socket', socket.url())
    socket.on('framesent', ({ payload }) => look('a socket', String(payload)))
  })
  await page.goto('/pricing')
  await page.evaluate(id => localStorage.setItem('credit_id', id), creditId)
  await page.goto('/')
  await ask(page, 'A canary question')
  await expect(answerOn(page)).toContainText(/\$0\.0000\d+/)
  await page.goto('/account')
  await expect(page.getByText(/^Signed in as/)).toBeVisible()
  const own = page.getByRole('region', { name: 'Your own wallet', exact: true })
  await own.getByLabel('Connection from your wallet').fill(wallet.nwcUrl)
  await own.getByLabel('Passphrase').fill(PASSPHRASE)
  await own.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(own.getByText('unlocked in this tab')).toBeVisible()
  await page.getByRole('link', { name: 'Top up' }).first().click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('button', { name: 'Pay from my wallet' })).toBeVisible()
  look('local storage', await page.evaluate(() => JSON.stringify({ ...localStorage })), ['credit_id'])
  for (const request of requests) {
    // Not those with cookies, for which a request that was cut off would be waited for; services record what they get.
    const { referer = '', ...headers } = request.headers()
    const { origin, pathname } = new URL(request.url())
    const isTheCall = /^\/api\/payments\/account\/[^/]+\/credit$/.test(pathname)
    look(`the address of ${pathname}`, `${request.url()} ${referer}`, isTheCall ? ['credit_id'] : [])
    const isOwn = origin === baseUrl || origin === authUrl
    if (!isOwn) look(`a request to ${origin}`, JSON.stringify(headers) + (request.postData() ?? ''))
  }
  await context.close()
  await wallet.stop()
  return told
}
