import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request as openRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { api } from '@/lib/api/application'
import type { Model } from '@/lib/catalogue/domain/model'
import { usablePrices } from '@/lib/catalogue/domain/usable-prices'
import { openDatabase } from '@/lib/db/open-database'
import { createExchanges } from '@/lib/exchange/engine/exchanges'
import { createDatabaseReplayStore } from '@/lib/exchange/engine/replay-store'
import { createKinds } from '@/lib/exchange/kinds/kinds'
import { createBodiesInFlight } from '@/lib/http/bodies-in-flight'
import { hashSecret } from '@/lib/http/credential'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { ZERO } from '@/lib/money/decimal'
import { NANO_MAX } from '@/lib/money/nano'
import { serveHandler } from '@/test/support/serve-handler'
import { BENCH_MODEL } from './exchange-client'

/** One process, one way to relay: `pipe` and `fetch` know nothing of money. */
const [, , mode, upstreamPort] = process.argv
const baseUrl = `http://127.0.0.1:${upstreamPort}/v1`
const completionsUrl = `${baseUrl}/chat/completions`

/** The least that Node can do: bytes from one socket to another. */
function startPipe(): Promise<number> {
  const server = createServer((request, response) => {
    const upstream = openRequest(completionsUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    })
    upstream.on('response', answer => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      answer.pipe(response)
    })
    response.on('close', () => upstream.destroy())
    request.pipe(upstream)
  })
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

/** What a bare route handler does: `fetch`, and its body handed on. */
async function startFetch(): Promise<number> {
  const served = await serveHandler(async request => {
    const answer = await fetch(completionsUrl, {
      method: 'POST',
      body: await new Response(request.body).text(),
      signal: request.signal,
    })
    return new Response(answer.body, { headers: { 'content-type': 'text/event-stream' } })
  })
  return Number(new URL(served.url).port)
}

async function startExchange(): Promise<{ port: number; creditId: string }> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tuppence-bench-'))
  const url = process.env.BENCH_DATABASE_URL ?? null
  const database = await openDatabase({ url, directUrl: null, dataDirectory })
  process.once('SIGTERM', async () => {
    await database.close()
    await rm(dataDirectory, { recursive: true, force: true })
    process.exit()
  })
  const ledger = createEmbeddedLedger({ database })
  const creditId = randomUUID()
  const { accountId } = await ledger.createAccount({
    creditIdHash: hashSecret(creditId),
    firstKey: null,
    attribution: null,
  })
  await ledger.credit({
    accountId,
    amountNano: NANO_MAX,
    source: 'operator',
    reference: randomUUID(),
    memo: {},
  })
  const model = benchModel()
  const priceMarkup = ZERO
  const exchanges = createExchanges({
    ledger,
    priceMarkup,
    replayStore: createDatabaseReplayStore({ database }),
  })
  const kinds = createKinds({
    catalogue: { listModels: async () => [model], findModel: async id => (id === model.id ? model : null) },
    upstreams: [{ id: 'bench', baseUrl, apiKey: null, setBy: 'bench' }],
    elevenLabs: null,
    priceMarkup,
  })
  // The process's own services, as the routes find them.
  Object.assign(globalThis, {
    [Symbol.for('tuppence.services')]: Promise.resolve({
      exchanges,
      kinds,
      ledger,
      bodiesInFlight: createBodiesInFlight({ onVercel: false }),
    }),
  })
  const served = await serveHandler(api)
  return { port: Number(new URL(served.url).port), creditId }
}

function benchModel(): Model {
  const prices = usablePrices({ prompt: '0.000001', completion: '0.000002' })
  if (!prices) throw new Error('The prices of the benchmark are unusable.')
  return {
    id: BENCH_MODEL,
    name: 'Bench',
    description: '',
    kind: 'chat',
    expiresAtSeconds: null,
    supportedParameters: [],
    canReason: false,
    reasoning: null,
    createdAtSeconds: 0,
    contextLength: 128_000,
    outputTokenCountMax: 16_384,
    inputModalities: ['text'],
    outputModalities: ['text'],
    prices,
    upstreamIds: ['bench'],
  }
}

if (mode === 'pipe') process.send?.({ port: await startPipe(), creditId: '' })
else if (mode === 'fetch') process.send?.({ port: await startFetch(), creditId: '' })
else process.send?.(await startExchange())
