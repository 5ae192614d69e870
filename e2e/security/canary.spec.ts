import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page, Request } from '@playwright/test'
import { type StandInUpstream, startStandInUpstream } from '@/test/stand-ins/upstream'
import { createAccount, type TestAccount } from '@/test/support/account'
import { type AppProcess, startApp } from '@/test/support/app-process'
import { dumpTables, filesContaining } from '@/test/support/embedded-directory'
import { expect, test } from '@/test/support/test'
import { answerOn, ask } from '../local-data/browser-store'

let directory: string
let upstream: StandInUpstream
let app: AppProcess

test.beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tuppence-canary-'))
  upstream = await startStandInUpstream()
  app = await startApp({ dataDirectory: directory, upstreamBaseUrl: upstream.baseUrl })
})
test.afterEach(async () => {
  await app.stop()
  await upstream.close()
  rmSync(directory, { recursive: true, force: true })
})

test('the credit and API key never appear in an address, a log, an upstream request or the database', async ({
  browser,
}) => {
  const context = await browser.newContext({ baseURL: app.baseUrl })
  const account = await createAccount(context.request, 1)
  const outbound: Request[] = []
  const addresses: string[] = []
  const consoleLines: string[] = []
  context.on('request', request => outbound.push(request))
  context.on('console', message => consoleLines.push(message.text()))
  const page = await context.newPage()
  page.on('framenavigated', frame => addresses.push(frame.url()))
  await page.goto('/pricing')
  await page.evaluate(id => localStorage.setItem('credit_id', id), account.creditId)
  await useEverything(page, account)
  const agent = await payAsAgent(account)
  await provokeErrors(account)

  const secrets = [account.creditId, account.apiKey, agent.token]
  const leaks = (texts: Iterable<string>) => [...texts].filter(text => containsAny(text, secrets))
  expect(outbound.some(request => carriesCredential(request, account))).toBe(true)
  expect(leaks(addresses)).toEqual([])
  expect(leaks(consoleLines)).toEqual([])
  for (const request of outbound) {
    const { referer = '', cookie = '' } = await request.allHeaders()
    expect(leaks([referer, cookie])).toEqual([])
    const own = request.url().startsWith(`${app.baseUrl}/`)
    if (!own) expect(leaks([request.url(), JSON.stringify(await request.allHeaders())])).toEqual([])
    // The specification's call has the credit in its path; no other request may.
    if (!/\/api\/payments\/account\/[^/]+\/credit$/.test(request.url()))
      expect(leaks([request.url()])).toEqual([])
  }
  const foreign = outbound
    .map(request => new URL(request.url()))
    .filter(({ protocol, origin }) => {
      return protocol.startsWith('http') && origin !== app.baseUrl
    })
  expect(foreign.map(({ origin }) => origin)).toEqual([])
  await context.close()

  expect(upstream.requests.length).toBeGreaterThan(1)
  expect(leaks(upstream.requests.map(({ headers }) => JSON.stringify(headers)))).toEqual([])
  expect(leaks(upstream.requests.map(({ rawBody }) => rawBody.toString('utf8')))).toEqual([])

  await app.stop()
  expect(app.output()).not.toBe('')
  expect(leaks(app.output().split('\n'))).toEqual([])
  // The sandbox keeps the preimages of its invoices, as a wallet would.
  expect(app.output()).not.toContain(agent.preimage)
  const dump = await dumpTables(directory)
  expect(dump).toMatch(/^account /m)
  expect(dump).toMatch(/^hold /m)
  expect(leaks(dump.split('\n'))).toEqual([])
  // The database contains neither the text of conversations nor their owner's secrets.
  expect(dump).not.toContain('canary question')
  for (const secret of [...secrets, account.creditId.replaceAll('-', '')])
    expect(filesContaining(directory, secret)).toEqual([])
})

/** Goes through each flow once, by links, as a visitor would. */
async function useEverything(page: Page, account: TestAccount): Promise<void> {
  await page.goto('/')
  await expect(page.getByRole('status', { name: 'Balance' })).toContainText('$1')
  await ask(page, 'A canary question')
  await expect(answerOn(page)).toContainText('Hello.')
  await expect(answerOn(page)).toContainText(/\$0\.0000\d+/)
  await page.reload()
  await expect(page.getByRole('status', { name: 'Balance' })).toContainText('$0.99')

  await page.getByRole('link', { name: 'Top up' }).first().click()
  await page
    .getByRole('button', { name: /create invoice|continue|pay/i })
    .first()
    .click()
  await page.getByRole('button', { name: /sandbox/i }).click()
  await expect(page.getByRole('status', { name: 'Balance' })).not.toContainText('$0.99')

  await page.goto('/account')
  await expect(page.getByRole('heading', { level: 1, name: 'Account' })).toBeVisible()
  const usage = page.getByRole('region', { name: 'Usage', exact: true })
  await expect(usage.getByRole('button', { name: /why this cost/i }).first()).toBeVisible()
  const refill = page.getByRole('region', { name: 'Refill link', exact: true })
  await refill.getByRole('button', { name: 'Create link' }).click()
  const address = await refill.getByRole('textbox', { name: 'Refill link' }).inputValue()
  expect(containsAny(address, [account.creditId, account.apiKey])).toBe(false)

  const response = await page.request.post('/v1/chat/completions', {
    headers: { 'x-api-key': account.apiKey },
    data: { model: 'standin/small', messages: [{ role: 'user', content: 'With the key' }] },
  })
  expect(response.ok()).toBe(true)
}

/** Pays for calls without an account, in both payment schemes and by MCP, and moves the rest to the credit. */
async function payAsAgent({ creditId }: TestAccount): Promise<{ token: string; preimage: string }> {
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${app.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const chat = { model: 'standin/small', messages: [{ role: 'user', content: 'As an agent' }] }
  const asked = await post('/v1/chat/completions', chat)
  expect(asked.status).toBe(402)
  const { error } = await asked.json()
  const [l402 = '', payment = ''] = asked.headers.get('www-authenticate')?.split(/, (?=Payment )/) ?? []
  const { token = '' } = parametersIn(l402)
  const { preimage } = await (await post(`/topup/sandbox/${error.payment.invoice_id}/pay`, {})).json()
  const answer = Buffer.from(JSON.stringify({ challenge: parametersIn(payment), payload: { preimage } }))
  const balance = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_balance', arguments: {} },
  }
  const accept = { accept: 'application/json, text/event-stream' }
  const answers = [
    await post('/v1/chat/completions', chat, { authorization: `Payment ${answer.toString('base64url')}` }),
    await post('/v1/chat/completions', chat, { authorization: `L402 ${token}:${preimage}` }),
    await post('/v1/chat/completions', chat, { 'x-api-key': `${token}:${preimage}` }),
    await post('/mcp', balance, { ...accept, authorization: `L402 ${token}:${preimage}` }),
    await post(
      '/accounts/merge',
      { from_token: `${token}:${preimage}` },
      { authorization: `Bearer ${creditId}` },
    ),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  const forged = `${token}:${'0'.repeat(64)}`
  expect((await post('/v1/chat/completions', chat, { authorization: `L402 ${forged}` })).status).toBe(401)
  const wrong = await post('/v1/chat/completions', {}, { authorization: `L402 ${token}:${preimage}` })
  for (const each of [...answers, wrong])
    expect(containsAny(await each.text(), [preimage, token])).toBe(false)
  return { token, preimage }
}

/** `name="value"` of a challenge. */
function parametersIn(challenge: string): Record<string, string> {
  return Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  )
}

/** Provokes errors, since failures are what gets logged. */
async function provokeErrors({ creditId, apiKey }: TestAccount): Promise<void> {
  const bearer = { authorization: `Bearer ${creditId}` }
  const ask = (headers: Record<string, string>, body: string) =>
    fetch(`${app.baseUrl}/v1/chat/completions`, { method: 'POST', headers, body })
  upstream.setScript({ chat: { status: 500, body: { error: { message: 'broken' } } } })
  const question = JSON.stringify({ model: 'standin/small', messages: [{ role: 'user', content: 'Fail' }] })
  expect((await ask(bearer, question)).ok).toBe(false)
  upstream.setScript({ chat: { steps: [{ type: 'text', text: 'Cut' }, { type: 'destroy' }] } })
  await (await ask({ 'x-api-key': apiKey }, question)).text()
  expect((await ask(bearer, `{"credit_id":"${creditId}`)).status).toBe(400)
  expect((await ask({ 'x-api-key': `${apiKey} ${creditId}` }, question)).status).toBe(401)
  expect((await fetch(`${app.baseUrl}/keys/${creditId}`, { headers: bearer })).status).toBe(404)
  expect((await fetch(`${app.baseUrl}/api/payments/account/${creditId}0/credit`)).status).toBe(404)
  expect((await fetch(`${app.baseUrl}/no-such-page/${creditId}`)).status).toBe(404)
}

function carriesCredential(request: Request, { creditId }: TestAccount): boolean {
  return request.headers().authorization === `Bearer ${creditId}`
}

function containsAny(text: string, secrets: readonly string[]): boolean {
  return secrets.some(secret => text.toLowerCase().includes(secret.toLowerCase()))
}
