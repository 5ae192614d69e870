import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request as apiRequest } from '@playwright/test'
import { z } from 'zod'
import { type StandInUpstream, startStandInUpstream } from '@/test/stand-ins/upstream'
import type { Answer, RecordedRequest } from '@/test/stand-ins/upstream-script'
import { balanceUsd, createAccount, type TestAccount } from '@/test/support/account'
import { type AppProcess, startApp } from '@/test/support/app-process'
import { withEmbeddedDatabase } from '@/test/support/embedded-directory'
import { randomNumbers } from '@/test/support/random-numbers'
import { checkLedger } from '@/test/support/run-script'
import { expect, test } from '@/test/support/test'

/** `CRASH_ROUNDS=100` for a thorough run; `CRASH_SEED` repeats a run. */
const ROUND_COUNT = Number(process.env.CRASH_ROUNDS ?? '3')
const ROUND_TIMEOUT_MS = 20_000
const ACCOUNT_COUNT = 3
/** For each account and round: the answers that wait at a gate when the server is killed. One more streams. */
const HELD_COUNT = 2
const FLOWING_EVENT_COUNT = 300

const history = z.object({ data: z.array(z.object({ status: z.string(), price_in_usd: z.number() })) })

let directory: string
let upstream: StandInUpstream

test.beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tuppence-crash-'))
  upstream = await startStandInUpstream({ script: { chat: answerByPrompt } })
})
test.afterEach(async () => {
  await upstream.close()
  rmSync(directory, { recursive: true, force: true })
})

test('after the server was killed in mid-stream, no hold stays open and interrupted answers are not charged', async () => {
  test.setTimeout(ROUND_COUNT * ROUND_TIMEOUT_MS + 30_000)
  const { seed, nextBelow } = randomNumbers(process.env.CRASH_SEED)
  test.info().annotations.push({ type: 'seed', description: seed })
  let app = await startHere()
  try {
    const accounts = await openAccounts(app)
    for (let round = 0; round < ROUND_COUNT; round += 1) {
      const before = await balances(app, accounts)
      await killInMidStream(app, accounts, round, nextBelow)
      expect(await expireOpenHolds()).toBeGreaterThanOrEqual(ACCOUNT_COUNT * HELD_COUNT)

      app = await startHere()
      const answerCount = (round + 1) * (HELD_COUNT + 1)
      for (const [index, account] of accounts.entries()) {
        const answerCountNow = async () => (await answersOf(app, account)).length
        await expect.poll(answerCountNow, { timeout: ROUND_TIMEOUT_MS }).toBe(answerCount)
        const latest = (await answersOf(app, account)).slice(0, HELD_COUNT + 1)
        const cut = latest.filter(({ status }) => status === 'expired')
        expect(cut.length).toBeGreaterThanOrEqual(HELD_COUNT)
        expect(cut.map(answer => answer.price_in_usd)).toEqual(cut.map(() => 0))
        // The streaming answer was either cut off as well, or is complete and costs what it reported.
        const paid = latest.reduce((sum, answer) => sum + answer.price_in_usd, 0)
        expect(await balanceOf(app, account)).toBeCloseTo((before[index] ?? 0) - paid, 9)
      }
    }
  } finally {
    await app.stop()
  }
  expect(await openHoldsAndHeldMoney()).toEqual({ open: 0, held: 0 })
  expect(await checkLedger(directory)).toMatchObject({ exitCode: 0 })
})

test('a second server on the same directory shares its database, and keeps working after the first one stops', async () => {
  const first = await startHere()
  const second = await startHere()
  try {
    const [account] = await openAccounts(first)
    if (!account) throw new Error('no account')
    expect(await balanceOf(second, account)).toBe(1)
    await first.stop()
    expect(await balanceOf(second, account)).toBe(1)
  } finally {
    await first.stop()
    await second.stop()
  }
})

test('a server restarts its database after the database was killed', async () => {
  const app = await startHere()
  try {
    const [account] = await openAccounts(app)
    if (!account) throw new Error('no account')
    process.kill(
      Number.parseInt(readFileSync(join(directory, 'postgres/postmaster.pid'), 'utf8'), 10),
      'SIGKILL',
    )
    expect(await balanceOf(app, account)).toBe(1)
  } finally {
    await app.stop()
  }
})

test('a server keeps answering when its stdout and stderr are no longer read', async () => {
  const app = await startHere()
  try {
    app.closeOutput()
    for (const path of ['/pricing', '/v1/models', '/pricing']) {
      expect((await fetch(app.baseUrl + path)).status, path).toBe(200)
    }
  } finally {
    await app.kill()
  }
})

// A terminal sends Ctrl-C to npm and to the server, and npm passes it on; a shell that is closed tells its jobs twice.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  test(`a server that is stopped by ${signal}, even twice, finishes and settles the running answer first`, async () => {
    const app = await startHere()
    const [account] = await openAccounts(app)
    if (!account) throw new Error('no account')
    const answer = ask(app, account, 'held before-stop')
    await upstream.gates.reached('before-stop')
    // Browsers open connections ahead of use; an unused one must not keep the server running.
    const unused = connect(Number(new URL(app.baseUrl).port), '127.0.0.1')
    unused.on('error', () => {})
    await once(unused, 'connect')
    process.kill(app.pid, signal)
    await expect(() => expect(fetch(app.baseUrl)).rejects.toThrow()).toPass()
    process.kill(app.pid, signal)
    upstream.gates.open('before-stop')
    expect(await answer).toMatchObject({ complete: true })
    expect(await app.exited).toBe(0)
    unused.destroy()
    expect(await openHoldsAndHeldMoney()).toEqual({ open: 0, held: 0 })
    expect(await checkLedger(directory)).toMatchObject({ exitCode: 0 })
  })
}

function startHere(): Promise<AppProcess> {
  return startApp({ dataDirectory: directory, upstreamBaseUrl: upstream.baseUrl })
}

async function openAccounts(app: AppProcess): Promise<TestAccount[]> {
  const request = await apiRequest.newContext({ baseURL: app.baseUrl })
  const accounts: TestAccount[] = []
  while (accounts.length < ACCOUNT_COUNT) accounts.push(await createAccount(request, 1))
  await request.dispose()
  return accounts
}

/**
 * Kills the server after a random number of chunks of the streaming answers; the others wait at their gates by then.
 */
async function killInMidStream(
  app: AppProcess,
  accounts: TestAccount[],
  round: number,
  nextBelow: (limit: number) => number,
): Promise<void> {
  const names = accounts.flatMap((_, index) =>
    Array.from({ length: HELD_COUNT }, (_, held) => `${round}-${index}-${held}`),
  )
  const held = names.map((name, index) =>
    ask(app, accounts[Math.floor(index / HELD_COUNT)] ?? fail(), `held ${name}`),
  )
  await Promise.all(names.map(name => upstream.gates.reached(name)))
  const killAt = nextBelow(ACCOUNT_COUNT * FLOWING_EVENT_COUNT)
  let chunkCount = 0
  let killed: Promise<void> | null = null
  const begun = new Set<TestAccount>()
  const onChunk = (account: TestAccount) => {
    chunkCount += 1
    begun.add(account)
    // By then every account has an open hold, which the next server has to find.
    if (begun.size === accounts.length && chunkCount >= killAt) killed ??= app.kill()
  }
  await Promise.all(accounts.map(account => ask(app, account, 'flowing', () => onChunk(account))))
  await (killed ?? app.kill())
  for (const { complete } of await Promise.all(held)) expect(complete).toBe(false)
}

/** Reads an answer until it ends or breaks off. */
async function ask(
  app: AppProcess,
  { apiKey }: TestAccount,
  content: string,
  onChunk: () => void = () => {},
): Promise<{ complete: boolean }> {
  let text = ''
  try {
    const response = await fetch(`${app.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'standin/small', stream: true, messages: [{ role: 'user', content }] }),
    })
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      onChunk()
    }
  } catch {
    // The connection died with the server.
  }
  return { complete: text.includes('[DONE]') }
}

function answerByPrompt(request: RecordedRequest): Answer {
  const [, gate] = /held ([\w-]+)/.exec(request.rawBody.toString('utf8')) ?? []
  if (gate === undefined) return { steps: [{ type: 'text', text: 'word ', times: FLOWING_EVENT_COUNT }] }
  return {
    steps: [
      { type: 'text', text: 'Begun. ' },
      { type: 'gate', name: gate },
      { type: 'text', text: 'Ended.' },
    ],
  }
}

/** Expires all open holds. */
function expireOpenHolds(): Promise<number> {
  return withEmbeddedDatabase(directory, async database => {
    const { rows } = await database.query(
      `update hold set expires_at = now() - interval '1 second' where state = 'open' returning id`,
    )
    return rows.length
  })
}

function openHoldsAndHeldMoney(): Promise<unknown> {
  return withEmbeddedDatabase(directory, async database => {
    const { rows } = await database.query(
      `select (select count(*)::int from hold where state = 'open') as open,
        ((select coalesce(sum(held_nano), 0) from account)
          + (select coalesce(sum(held_nano), 0) from api_key))::int as held`,
    )
    return rows[0]
  })
}

async function answersOf(app: AppProcess, { creditId }: TestAccount) {
  const response = await fetch(`${app.baseUrl}/queries/history?limit=500`, {
    headers: { authorization: `Bearer ${creditId}` },
  })
  return history.parse(await response.json()).data
}

async function balanceOf(app: AppProcess, { creditId }: TestAccount): Promise<number> {
  const request = await apiRequest.newContext({ baseURL: app.baseUrl })
  const balance = await balanceUsd(request, creditId)
  await request.dispose()
  return balance
}

function balances(app: AppProcess, accounts: TestAccount[]): Promise<number[]> {
  return Promise.all(accounts.map(account => balanceOf(app, account)))
}

function fail(): never {
  throw new Error('There is no such account.')
}
