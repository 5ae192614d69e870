import { describe, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { openReceipt } from '@/lib/ledger/domain/receipts'
import { formatUsd } from '@/lib/money/nano'
import { metrics } from '@/lib/observability/metrics'
import { checkCharge } from '@/scripts/verify-receipt'
import type { RecordedRequest } from '@/test/stand-ins/upstream-script'
import { randomNumbers } from '@/test/support/random-numbers'
import { expectNoCentLost, outwait, type PaidCall, untilNoticed } from './books'
import { type Caller, readText } from './caller'
import { drawEpisode, type Episode, nameOf, newHeaders, pickOne, TOKEN_NANO_MAX } from './episode'
import { type BilledSite, describeSite, HOSTS } from './site'

const MINUTE_COUNT = 60
const MINUTE_MS = 60_000
const EPISODE_COUNT = 5
const LOOK_COUNT = 30
/** Each look is a query, so that no time is waited for. */
const END_LOOK_COUNT_MAX = 2_000
/** One has next to nothing, one has a little, one has enough. */
const BALANCES_USD = [0.003, 0.3, 20]
const LIMITS_USD = [0.01, null]
/** What only we could count may be counted differently: by a quarter, plus a few tokens around a message. */
const ESTIMATE_DIVISOR = 4n
const ESTIMATE_TOKEN_COUNT = 30n

describe.each(HOSTS)('a random hour with a host of the kind %s', host => {
  describeSite('of all kinds', { host }, site => {
    const { seed, nextBelow: draw } = randomNumbers(process.env.EXCHANGE_SEED ?? 'the first hour')

    test(`with seed "${seed}" no cent is lost, and every hold is resolved`, async () => {
      const episodes: Episodes = new Map()
      let keepsRecords = true
      const find = (request: RecordedRequest) => episodes.get(nameOf(request))?.episode.answer ?? {}
      const upstreams = [site.upstream, site.second]
      for (const upstream of upstreams) {
        upstream.setScript({
          chat: find,
          embeddings: find,
          images: find,
          speech: find,
          transcriptions: find,
          generation: () => (keepsRecords ? {} : { status: 404, body: {} }),
        })
      }
      let fundedNano = 0n
      for (let minute = 0; minute < MINUTE_COUNT; minute += 1) {
        keepsRecords = draw(3) > 0
        const downModels =
          draw(3) === 0 ? [pickOne(draw, ['standin/free', 'standin/small', 'standin/dear'])] : []
        for (const upstream of upstreams) upstream.setHost({ downModels })
        const people = await gather(site)
        fundedNano += people.fundedNano
        const playing = Array.from({ length: EPISODE_COUNT }, (_, index) => {
          const episode = drawEpisode(`episode-${minute}.${index}`, host, draw)
          const caller = pickOne(draw, people.callers)
          episodes.set(episode.name, { episode, caller })
          return play(site, episode, caller)
        })
        const [from, into] = [pickOne(draw, people.owners), pickOne(draw, people.owners)]
        if (draw(2) === 0 && from !== into)
          playing.push(into.merge(from).then(async reply => void readText(reply)))
        await outwait(site.database, Promise.all(playing), () => busyCount > 0)
        await site.clock.pass(MINUTE_MS)
      }
      const books = await site.books()
      expectNoCentLost(books, { estimated: 1 })
      expect(books.calls.length).toBeGreaterThan(MINUTE_COUNT)
      expect((await site.services.books.check()).differences).toEqual([])
      expect(await creditOf(site)).toBe(fundedNano - books.chargedNano)
      expect(findUnpaid(site, books.calls, episodes)).toEqual([])
      expect(await findWrongReceipts(site, books.calls)).toEqual([])
      expect(await findLeft(site)).toEqual({ bodyByteCount: 0, runningCount: 0 })
    }, 300_000)
  })
})

/** The people of one minute, so that what one overpays cannot hide what is not paid for another for any longer. */
async function gather(site: BilledSite) {
  const owners = await Promise.all(BALANCES_USD.map(balanceUsd => site.fund(balanceUsd)))
  const [rich] = owners.slice(-1)
  const keys = await Promise.all(LIMITS_USD.flatMap(limitUsd => (rich ? [rich.createKey(limitUsd)] : [])))
  const fundedNano = BALANCES_USD.reduce((sum, balanceUsd) => sum + BigInt(Math.round(balanceUsd * 1e9)), 0n)
  return { owners, callers: [...owners, ...keys], fundedNano }
}

type Episodes = Map<string, { episode: Episode; caller: Caller }>

async function play(site: BilledSite, episode: Episode, caller: Caller): Promise<void> {
  const { name, behaviour } = episode
  const headers = newHeaders(behaviour)
  const abort = new AbortController()
  const call = () => readText(episode.ask(caller, { headers, signal: abort.signal }))
  const over = Promise.all(behaviour === 'asks twice' ? [call(), call()] : [call()])
  const upstreams = [site.upstream, site.second]
  await Promise.race([over, ...upstreams.map(({ gates }) => gates.reached(name))])
  busyCount += 1
  if (behaviour === 'leaves' || behaviour === 'resumes') abort.abort()
  const resumeKey = headers['x-resume-key'] ?? ''
  const more: Promise<string>[] = []
  if (behaviour === 'stops') more.push(readText(caller.stop(resumeKey, episode.path)))
  if (behaviour === 'resumes') more.push(readText(caller.resume(resumeKey, episode.path)))
  await untilNoticed(site.database, Promise.all([over, ...more]), LOOK_COUNT)
  for (const { gates } of upstreams) gates.open(name)
  busyCount -= 1
  await Promise.all([over, ...more])
}

/** How many callers are busy at the moment, for whom no upstream may become too late. */
let busyCount = 0

/** Accounts for whose calls more was billed than was charged or booked as a loss, each with its calls. */
function findUnpaid(site: BilledSite, calls: PaidCall[], episodes: Episodes): string[] {
  const played = [...episodes.values()]
  const accountIds = new Set(played.map(({ caller }) => caller.accountId))
  return [...accountIds].flatMap(accountId => {
    const isTheirs = (request: RecordedRequest) =>
      episodes.get(nameOf(request))?.caller.accountId === accountId
    const billed = [site.upstream, site.second].map(upstream => upstream.bills(isTheirs))
    const theirs = calls.filter(call => call.accountId === accountId)
    const paidNano = theirs.reduce((sum, call) => sum + call.chargedNano + call.lossNano, 0n)
    const allowedNano = theirs.reduce((sum, call) => sum + allowanceOf(call), 0n)
    const missingNano = billed.reduce((sum, { billedNano }) => sum + billedNano, 0n) - paidNano
    if (missingNano <= allowedNano) return []
    const lines = [
      ...played
        .filter(({ caller }) => caller.accountId === accountId)
        .map(({ episode }) => `${episode.behaviour} ${episode.route} ${JSON.stringify(episode.answer)}`),
      ...billed.flatMap(({ bills }) => bills.map(({ model, usd }) => `billed ${usd} for ${model}`)),
      ...theirs.map(
        call =>
          `charged ${formatUsd(call.chargedNano)} for ${call.modelId}, ${call.status}, ${call.costBasis}`,
      ),
    ]
    return [`${formatUsd(missingNano)} missing:\n${lines.join('\n')}`]
  })
}

/** What somebody who trusts nobody finds wrong with the receipts. */
async function findWrongReceipts({ services: { ledger } }: BilledSite, calls: PaidCall[]): Promise<string[]> {
  const found: string[] = []
  for (const { id: holdId, accountId } of calls) {
    const signed = await ledger.signReceipt({ accountId, keyId: null, holdId, iss: 'https://site.test' })
    const receipt = signed && openReceipt(signed.jws)
    if (!receipt) found.push(`no receipt of ${holdId}`)
    else if (checkCharge(receipt).outcome === 'wrong')
      found.push(`${checkCharge(receipt).sentence} ${JSON.stringify(receipt)}`)
  }
  return found
}

/**
 * What calls have left in memory, which would sooner or later be missing for everybody else's. The last answers may
 * still be on their way to where they are kept.
 */
async function findLeft({ services: { bodiesInFlight }, database }: BilledSite) {
  for (let look = 0; ; look += 1) {
    const { values } = await metrics.runningExchanges.get()
    const left = { bodyByteCount: bodiesInFlight.byteCount, runningCount: values[0]?.value }
    if (look === END_LOOK_COUNT_MAX || (left.bodyByteCount === 0 && left.runningCount === 0)) return left
    await sql`select`.execute(database.kysely)
  }
}

function allowanceOf({ modelId, costBasis, chargedNano, lossNano }: PaidCall): bigint {
  if (costBasis !== 'local_count' && costBasis !== 'none') return 0n
  return (chargedNano + lossNano) / ESTIMATE_DIVISOR + ESTIMATE_TOKEN_COUNT * (TOKEN_NANO_MAX[modelId] ?? 0n)
}

/** The sum of everybody's credit. */
async function creditOf(site: BilledSite): Promise<bigint> {
  const { rows } = await sql<{ total: string }>`
    select coalesce(sum(balance_nano), 0)::text as total from account where kind = 'credit'`.execute(
    site.database.kysely,
  )
  return BigInt(rows[0]?.total ?? 0)
}
