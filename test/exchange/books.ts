import { expect } from '@jest/globals'
import { sql } from 'kysely'
import type { Database } from '@/lib/db/database'
import { formatUsd, type Nano } from '@/lib/money/nano'
import type { StandInElevenLabs } from '@/test/stand-ins/elevenlabs'
import type { StandInUpstream } from '@/test/stand-ins/upstream'
import type { Bill } from '@/test/stand-ins/upstream-bill'
import { clock } from './clock'

/** A call as recorded by its hold. */
export interface PaidCall {
  id: string
  accountId: string
  kind: string
  modelId: string
  state: 'open' | 'settled' | 'released'
  heldNano: Nano
  chargedNano: Nano
  lossNano: Nano
  costBasis: string
  status: string
}

/** What upstreams bill, what customers were charged, and what the operator has booked as a loss. */
export interface Reckoning {
  bills: Bill[]
  billedNano: Nano
  chargedNano: Nano
  lossNano: Nano
  calls: PaidCall[]
  /** Lines that an operator would see in the log. */
  alarms: string[]
}

export interface Moment {
  at: Date
  chargedNano: Nano
  lossNano: Nano
}

/** How often to check for calls that are still running; each check is a query, so no time is waited for. */
const LOOK_COUNT_MAX = 20_000
/** Anything still running after this many checks is waiting for a timeout. */
const PATIENT_LOOK_COUNT = 400
const PASSING_MS = 120_000

/** The state of the books at this moment, by the database's own clock. */
export async function readMoment(database: Database): Promise<Moment> {
  const { rows } = await sql<{ at: Date; charged: string; loss: string }>`
    select now() as at,
      coalesce(sum(amount_nano) filter (where kind = 'charge'), 0)::text as charged,
      coalesce(sum(amount_nano) filter (where kind = 'loss'), 0)::text as loss
    from transfer`.execute(database.kysely)
  const [row] = rows
  return {
    at: new Date(row?.at ?? 0),
    chargedNano: BigInt(row?.charged ?? 0),
    lossNano: BigInt(row?.loss ?? 0),
  }
}

export interface BooksInput {
  database: Database
  before: Moment
  upstreams: readonly StandInUpstream[]
  elevenLabs: StandInElevenLabs
  alarms: readonly string[]
}

/** Everything since a moment. Waits until every call is resolved and no upstream is answering any more. */
export async function readBooks(input: BooksInput): Promise<Reckoning> {
  const { database, before, upstreams, elevenLabs } = input
  await waitForTheEnd(input)
  const now = await readMoment(database)
  const calls = await readCalls(database, before.at)
  const billed = [...upstreams, elevenLabs].map(upstream => upstream.bills())
  const books = {
    bills: billed.flatMap(({ bills }) => bills),
    billedNano: billed.reduce((sum, { billedNano }) => sum + billedNano, 0n),
    chargedNano: now.chargedNano - before.chargedNano,
    lossNano: now.lossNano - before.lossNano,
    calls,
    alarms: [...input.alarms],
  }
  LINES.push(formatLine(books))
  return books
}

async function waitForTheEnd({ database, upstreams, elevenLabs }: BooksInput): Promise<void> {
  for (let look = 0; look < LOOK_COUNT_MAX; look += 1) {
    const requests = [...upstreams, elevenLabs].flatMap(upstream => upstream.requests)
    const ended = Promise.all(requests.map(request => request.ended)).then(() => true)
    const { rows } = await sql<{ count: string }>`
      select count(*)::text as count from hold where state = 'open'`.execute(database.kysely)
    const isOver = await Promise.race([ended, nextTurn().then(() => false)])
    if (isOver && rows[0]?.count === '0') return
    if ((look + 1) % PATIENT_LOOK_COUNT === 0) await clock.pass(PASSING_MS)
  }
  throw new Error('A call was never resolved, or an upstream still answers.')
}

const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve))

/**
 * Resolves when the upstream has lost its reader, or when the site has had every chance to leave and is still reading.
 * Either may be right; the books show whether it was paid for.
 */
export async function untilNoticed(
  database: Database,
  ended: Promise<unknown>,
  lookCount = 150,
): Promise<void> {
  const hasEnded = ended.then(() => true)
  for (let look = 0; look < lookCount; look += 1) {
    await sql`select 1`.execute(database.kysely)
    if (await Promise.race([hasEnded, nextTurn().then(() => false)])) return
  }
}

/** Beyond every timeout of a call; no exchange may run longer. */
const OUTWAIT_STEP_MS = 60_000
const OUTWAIT_STEP_COUNT = 200
const OUTWAIT_LOOK_COUNT = 15

/**
 * Lets time pass until something is over, because some upstreams never answer. Not while a caller is busy, so that no
 * upstream becomes too late for what that caller does.
 */
export async function outwait(
  database: Database,
  awaited: Promise<unknown>,
  isBusy: () => boolean = () => false,
): Promise<void> {
  let isOver = false
  const over = awaited.then(() => {
    isOver = true
  })
  for (let step = 0; step < OUTWAIT_STEP_COUNT && !isOver; step += 1) {
    await untilNoticed(database, over, OUTWAIT_LOOK_COUNT)
    if (!isOver && !isBusy()) await clock.pass(OUTWAIT_STEP_MS)
  }
  await over
}

async function readCalls(database: Database, since: Date): Promise<PaidCall[]> {
  type Row = Record<
    'id' | 'account' | 'kind' | 'model' | 'held' | 'charged' | 'loss' | 'basis' | 'status',
    string
  > &
    Pick<PaidCall, 'state'>
  const { rows } = await sql<Row>`
    select id::text, account_id::text as account, query_type as kind, model_id as model, state, amount_nano::text as held,
      coalesce(charged_nano, 0)::text as charged, coalesce(loss_nano, 0)::text as loss,
      coalesce(usage->>'costBasis', '') as basis, coalesce(usage->>'status', '') as status
    from hold where created_at >= ${since} order by created_at`.execute(database.kysely)
  return rows.map(row => ({
    id: row.id,
    accountId: row.account,
    kind: row.kind,
    modelId: row.model,
    state: row.state,
    heldNano: BigInt(row.held),
    chargedNano: BigInt(row.charged),
    lossNano: BigInt(row.loss),
    costBasis: row.basis,
    status: row.status,
  }))
}

/** How much of a bill may be missing if only we could count: a fifth, which is how far tokenizers differ. */
export const ESTIMATED = 0.2

/**
 * The rule that all tests here are about: nobody pays more than was held for them, and what an upstream bills was
 * either charged or is a loss known to the operator. `estimated` is the part of the bill that may be missing if nobody
 * but us could count.
 */
export function expectNoCentLost(books: Reckoning, { estimated = 0 }: { estimated?: number } = {}): void {
  for (const call of books.calls) {
    expect(call.state).not.toBe('open')
    expect(call.chargedNano).toBeGreaterThanOrEqual(0n)
    expect(call.chargedNano).toBeLessThanOrEqual(call.heldNano)
  }
  const allowedNano = (books.billedNano * BigInt(Math.round(estimated * 1_000))) / 1_000n
  const missingNano = books.billedNano - books.chargedNano - books.lossNano
  expect({
    billed: formatUsd(books.billedNano),
    missing: missingNano > allowedNano ? formatUsd(missingNano) : '0',
  }).toEqual({ billed: formatUsd(books.billedNano), missing: '0' })
}

/** The lines of this file's tests, for the table at its end. */
const LINES: string[] = []

function formatLine({ billedNano, chargedNano, lossNano, calls, alarms }: Reckoning): string {
  const heldNano = calls.reduce((sum, call) => sum + call.heldNano, 0n)
  const amounts = [billedNano, chargedNano, lossNano, heldNano].map(nano => `$${formatUsd(nano)}`.padEnd(14))
  return `${amounts.join('')}${String(alarms.length).padEnd(8)}${testName()}\n`
}

/** Without the enclosing groups that all tests of a file share. */
function testName(): string {
  return (expect.getState().currentTestName ?? '').replace(/^.*\(PostgreSQL\) /, '')
}

/** The sums of all tests side by side; to process.stdout, which a test runner does not fold away. */
export function printLines(title: string): void {
  if (LINES.length === 0) return
  const heads = ['billed', 'charged', 'known loss', 'held'].map(head => head.padEnd(14)).join('')
  process.stdout.write(`\n${title}\n${heads}${'alarms'.padEnd(8)}test\n${LINES.splice(0).join('')}\n`)
}
