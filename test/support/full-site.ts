import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AuthServer, startAuthServer } from '@/test/stand-ins/auth-server'
import { startBtcpayStandIn } from '@/test/stand-ins/btcpay'
import { startStripeStandIn } from '@/test/stand-ins/stripe'
import { type StandInUpstream, startStandInUpstream } from '@/test/stand-ins/upstream'
import { type AppProcess, startApp } from './app-process'

export const CRON_SECRET = 'the cron secret of the end-to-end tests'
export const HOST_TOKEN = 'the host token of the end-to-end tests'

/** A server with everything switched on, and the stand-ins behind it. */
export interface FullSite {
  app: AppProcess
  directory: string
  upstream: StandInUpstream
  btcpay: Awaited<ReturnType<typeof startBtcpayStandIn>>
  stripe: Awaited<ReturnType<typeof startStripeStandIn>>
  auth: AuthServer
  /** Its settings, for a second server beside it. */
  environment: Record<string, string>
  stop(): Promise<void>
}

/**
 * @param through puts something between the server and each of the services that it calls
 * @param further settings besides those of every service here
 */
export async function startFullSite(
  through: (address: string) => Promise<string> = async address => address,
  further: Record<string, string> = {},
): Promise<FullSite> {
  const directory = mkdtempSync(join(tmpdir(), 'tuppence-full-'))
  const [upstream, btcpay, stripe, auth] = await Promise.all([
    startStandInUpstream(),
    startBtcpayStandIn(),
    startStripeStandIn(),
    startAuthServer(),
  ])
  const environment = {
    BTCPAY_URL: await through(btcpay.url),
    BTCPAY_STORE_ID: btcpay.settings.storeId,
    BTCPAY_API_KEY: btcpay.settings.apiKey,
    BTCPAY_WEBHOOK_SECRET: btcpay.settings.webhookSecret,
    STRIPE_SECRET_KEY: stripe.settings.secretKey,
    STRIPE_WEBHOOK_SECRET: stripe.settings.webhookSecret,
    STRIPE_API_BASE: await through(stripe.url),
    NEXT_PUBLIC_SUPABASE_URL: await through(auth.url),
    NEXT_PUBLIC_SUPABASE_PUBLISHABLE_KEY: 'sb_publishable_stand_in',
    LINK_ENCRYPTION_KEY: 'a key of the end-to-end tests and of nothing else',
    PAYMENTS_HOST_TOKEN: HOST_TOKEN,
    CRON_SECRET,
    ...further,
  }
  const app = await startApp({
    dataDirectory: directory,
    upstreamBaseUrl: await through(upstream.baseUrl),
    environment,
  })
  return {
    app,
    directory,
    upstream,
    btcpay,
    stripe,
    auth: auth.server,
    environment,
    async stop() {
      await app.stop()
      await Promise.all([upstream.close(), btcpay.stop(), stripe.stop(), auth.stop()])
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** The headers that the site's own page sends, and no page of another site can. */
export function ownPage({ app }: FullSite): Record<string, string> {
  return { origin: app.baseUrl, 'sec-fetch-site': 'same-origin' }
}

/** The session cookie of a new person, as written by the browser's library. */
export async function sessionCookie({ auth, environment }: FullSite): Promise<string> {
  const email = `${randomUUID()}@example.com`
  const ask = async (path: string, body: object) => {
    const response = await auth.fetch(`${auth.state.options.url}/auth/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return response.text()
  }
  await ask('otp', { email })
  const session = await ask('verify', { email, token: auth.state.emailCodes.get(email)?.code, type: 'email' })
  const project = new URL(environment.NEXT_PUBLIC_SUPABASE_URL ?? '').hostname.split('.')[0]
  return `sb-${project}-auth-token=base64-${Buffer.from(session).toString('base64url')}`
}
