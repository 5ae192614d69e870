import { createHash, randomUUID } from 'node:crypto'
import dns from 'node:dns'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from '@jest/globals'
import type { Services } from '@/lib/composition'
import type { Database } from '@/lib/db/database'
import type { StandInElevenLabs } from '@/test/stand-ins/elevenlabs'
import type { StandInUpstream } from '@/test/stand-ins/upstream'
import { serveApi } from '@/test/support/serve-api'
import { type Moment, printLines, type Reckoning, readBooks, readMoment } from './books'
import { Caller } from './caller'
import { type Clock, clock } from './clock'
import { BILLED_MODELS } from './models'

// Loaded after the clock, which changes how everything loaded later waits.
const { describeOnPostgres } = await import('@/lib/db/testing')
const { startStandInElevenLabs } = await import('@/test/stand-ins/elevenlabs')
const { startStandInUpstream } = await import('@/test/stand-ins/upstream')

/**
 * `openrouter`: the product takes the stand-in for OpenRouter, because of its name, and the stand-in reports the cost
 * of each call. `plain`: any other host, which reports tokens.
 */
export type HostKind = 'openrouter' | 'plain'
export const HOSTS: readonly HostKind[] = ['openrouter', 'plain']

export interface BilledSiteOptions {
  host: HostKind
  /** The name under which the product addresses its upstreams; by default OpenRouter's, or this machine's. */
  hostName?: string
  environment?: Record<string, string>
}

/** The whole API over real HTTP, on a database of its own, with upstreams that bill. */
export interface BilledSite {
  readonly url: string
  readonly upstream: StandInUpstream
  /** A second upstream after the first, with the same models. */
  readonly second: StandInUpstream
  readonly elevenLabs: StandInElevenLabs
  readonly services: Services
  readonly database: Database
  readonly clock: Clock
  /** A new account with this many dollars. */
  fund(amountUsd: number): Promise<Caller>
  /** Bills and charges since the test began, once every call is over. */
  books(): Promise<Reckoning>
}

type RunningSite = Awaited<ReturnType<typeof startSite>>

const START_TIMEOUT_MS = 90_000
const OPENROUTER = 'openrouter.ai'

/** Tests of a site, each of which begins with well-behaved upstreams, no bill and no call. */
export function describeSite(
  name: string,
  options: BilledSiteOptions,
  tests: (site: BilledSite) => void,
): void {
  describeOnPostgres(name, (getDatabase, getUrl) => {
    let running: RunningSite | null = null
    let before: Moment | null = null
    const use = (): RunningSite => {
      if (!running) throw new Error('The site runs only inside a test.')
      return running
    }
    const readSince = (since: Moment) => readBooks({ ...use(), database: getDatabase(), before: since })
    beforeAll(async () => {
      running = await startSite(options, getUrl())
    }, START_TIMEOUT_MS)
    afterAll(async () => {
      await running?.close()
      printLines(`${name} (${options.host})`)
    }, START_TIMEOUT_MS)
    beforeEach(async () => {
      const { upstreams, elevenLabs, alarms } = use()
      for (const upstream of upstreams) {
        upstream.setScript({})
        upstream.forget()
      }
      elevenLabs.setScript({})
      alarms.length = 0
      before = await readMoment(getDatabase())
    })
    tests({
      get url() {
        return use().url
      },
      get upstream() {
        return use().upstreams[0]
      },
      get second() {
        return use().upstreams[1]
      },
      get elevenLabs() {
        return use().elevenLabs
      },
      get services() {
        return use().services
      },
      get database() {
        return getDatabase()
      },
      get clock() {
        return use().clock
      },
      fund: amountUsd => fund(use(), amountUsd),
      books: () => readSince(before ?? { at: new Date(0), chargedNano: 0n, lossNano: 0n }),
    })
  })
}

async function startSite(options: BilledSiteOptions, databaseUrl: string) {
  const { host, environment, hostName = host === 'openrouter' ? OPENROUTER : null } = options
  const manner = host === 'openrouter' ? ({ dialect: 'openrouter', costUsd: 'billed' } as const) : {}
  const start = () => startStandInUpstream({ models: BILLED_MODELS, manner })
  const upstreams: [StandInUpstream, StandInUpstream] = [await start(), await start()]
  const elevenLabs = await startStandInElevenLabs()
  const directory = mkdtempSync(join(tmpdir(), 'tuppence-exchange-'))
  const upstreamsFile = join(directory, 'upstreams.json')
  const [first, second] = upstreams.map(({ baseUrl }) => (hostName ? named(baseUrl, hostName) : baseUrl))
  writeFileSync(upstreamsFile, JSON.stringify([{ id: 'second', base_url: second, api_key: 'second-secret' }]))
  const giveBackNames = hostName ? nameLoopback(hostName) : () => {}
  const { compose } = await import('@/lib/composition')
  const { readServerSettings } = await import('@/lib/config/settings')
  const services = await compose(
    readServerSettings({
      DATABASE_URL: databaseUrl,
      DATA_DIR: directory,
      UPSTREAM_BASE_URL: first,
      UPSTREAM_API_KEY: 'upstream-secret',
      UPSTREAMS_FILE: upstreamsFile,
      ELEVENLABS_BASE_URL: elevenLabs.baseUrl,
      ELEVENLABS_API_KEY: elevenLabs.apiKey,
      ...(hostName === null && { SANDBOX: '1' }),
      ...environment,
    }),
  )
  const served = await serveApi(services)
  const alarms: string[] = []
  const giveBackErrors = collectErrors(alarms)
  return {
    url: served.url,
    upstreams,
    elevenLabs,
    services,
    clock,
    alarms,
    async close() {
      clock.stop()
      await served.close()
      await Promise.all([...upstreams, elevenLabs].map(upstream => upstream.close()))
      await services.close()
      giveBackNames()
      giveBackErrors()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function fund({ url, services }: RunningSite, amountUsd: number): Promise<Caller> {
  const creditId = randomUUID()
  const { accountId } = await services.ledger.createAccount({
    creditIdHash: createHash('sha256').update(creditId).digest('hex'),
    firstKey: null,
    attribution: null,
  })
  const amountNano = BigInt(Math.round(amountUsd * 1e9))
  if (amountNano > 0n) {
    const reference = randomUUID()
    await services.ledger.credit({ accountId, amountNano, source: 'gateway', reference, memo: {} })
  }
  return new Caller({ url, accountId, secret: creditId })
}

/** Its address under another name, which resolves to this machine. */
function named(baseUrl: string, hostName: string): string {
  const { port } = new URL(baseUrl)
  return `http://${hostName}:${port}${hostName === OPENROUTER ? '/api/v1' : '/v1'}`
}

/** Makes every lookup of the name in this process resolve to loopback; nothing leaves the machine. */
function nameLoopback(name: string): () => void {
  const { lookup } = dns
  const patched = (hostname: string, ...rest: unknown[]) =>
    Reflect.apply(lookup, dns, [hostname === name ? '127.0.0.1' : hostname, ...rest])
  Object.assign(dns, { lookup: patched })
  return () => void Object.assign(dns, { lookup })
}

function messageOf(line: string): string {
  return line.startsWith('{') ? JSON.parse(line).message : line
}

function collectErrors(lines: string[]): () => void {
  const { write } = process.stderr
  Object.assign(process.stderr, {
    write(text: string | Uint8Array) {
      lines.push(messageOf(String(text)))
      return true
    },
  })
  return () => void Object.assign(process.stderr, { write })
}
