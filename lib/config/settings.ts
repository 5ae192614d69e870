import { z } from 'zod'
import { parseDecimal } from '@/lib/money/decimal'
import { readLinkEncryptionKeys, readSupabase } from './auth-settings'
import { readDatabase } from './database-settings'
import { readLogSettings } from './log-settings'
import { readOperatorSettings } from './operator-settings'
import { readPaymentSettings } from './payment-settings'
import {
  baseUrl,
  type Environment,
  isOnVercel,
  readGroup,
  readJsonSetting,
  readOne,
  readVariable,
  secret,
  token,
  url,
} from './read-group'
import { SettingsError } from './settings-error'
import { readElevenLabs, readUpstreamSettings, type UpstreamSettings } from './upstream-settings'

export type ServerSettings = ReturnType<typeof readServerSettings>
type SettingsBeforeSandbox = ReturnType<typeof readIndependentSettings>

/**
 * All of an operator's settings, read once when the server starts. One group per integration; null means that the
 * feature is off.
 *
 * @throws SettingsError naming the variable that is malformed or missing from its group
 */
export function readServerSettings(environment: Environment) {
  const settings = readIndependentSettings(environment)
  const sandbox = readSandbox(settings, readFlag(environment, 'SANDBOX'))
  if (settings.onVercel) requireOtherMachines(settings, sandbox)
  return { ...settings, sandbox }
}

function readIndependentSettings(environment: Environment) {
  return {
    appName: readVariable(environment, 'APP_NAME') ?? 'Tuppence',
    siteUrl: readSiteUrl(environment),
    ...readOperatorSettings(environment),
    port: readNumber(environment, 'PORT', { fallback: 3000, min: 1, max: 65535 }),
    cronSecret: readOne(environment, 'CRON_SECRET', token),
    metricsToken: readOne(environment, 'METRICS_TOKEN', token),
    /** Only to validate it at the start: the log reads its settings itself. */
    log: readLogSettings(environment),
    sentryDsn: readOne(
      environment,
      'SENTRY_DSN',
      url.regex(/^https?:\/\/[^\s/@]+@[^\s@]+\/\d+$/, 'expected https://<key>@<host>/<project number>'),
    ),
    analytics: readGroup(environment, {
      name: 'analytics',
      shape: {
        GA_MEASUREMENT_ID: z.string().regex(/^G-[A-Z0-9]+$/, 'expected G-XXXXXXX'),
        GA_COLLECT_URL: url.optional(),
      },
      turnedOnBy: ['GA_MEASUREMENT_ID'],
    }),
    /** A page of another origin that contains an analytics tag, loaded only for visitors who consent. */
    analyticsFrameUrl: readOne(environment, 'ANALYTICS_FRAME_URL', url),
    /**
     * How many proxies stand in front of this server, and may therefore set X-Forwarded-For. Only validated here:
     * scripts/server.ts reads it itself, and Vercel needs none.
     */
    trustedProxyCount: readNumber(environment, 'TRUSTED_PROXY_COUNT', { fallback: 0, min: 0, max: 10 }),
    onVercel: isOnVercel(environment),
    database: readDatabase(environment),
    upstreams: readUpstreamSettings(environment),
    modelPrices: readJsonSetting(environment, 'MODEL_PRICES_FILE', 'MODEL_PRICES_TEXT'),
    priceMarkup: readPriceMarkup(environment),
    ...readPaymentSettings(environment),
    supabase: readSupabase(environment),
    linkEncryptionKeys: readLinkEncryptionKeys(environment),
    elevenLabs: readElevenLabs(environment),
    supportWidget: readGroup(environment, {
      name: 'the support widget',
      shape: { SUPPORT_WIDGET_URL: url, SUPPORT_WIDGET_TOKEN: secret },
    }),
  }
}

/**
 * The sandbox gateway creates money out of nothing. It is on if nothing at all is configured, unless it is declined, or
 * on request if every upstream is on loopback; requested with any other upstream, or with a key that takes real money, the
 * server refuses to start.
 */
function readSandbox(
  settings: SettingsBeforeSandbox,
  requested: boolean | null,
): { gateway: boolean; upstream: boolean } {
  const nothingConfigured =
    settings.upstreams.length === 0 &&
    !settings.elevenLabs &&
    Object.values(settings.gateways).every(group => group === null) &&
    !settings.paymentsHost &&
    !settings.servesAsHostToken &&
    !settings.database.url
  if (!requested) {
    const isOn = nothingConfigured && requested === null
    return { gateway: isOn, upstream: isOn }
  }
  const distant = findDistantUpstream(settings)
  if (distant)
    throw new SettingsError(
      `SANDBOX=1 creates money from nothing and works only with upstreams on this machine, but ${distant.setBy} points to ${new URL(distant.baseUrl).host}. Unset SANDBOX.`,
    )
  if (/^[rs]k_live_/.test(settings.gateways.stripe?.STRIPE_SECRET_KEY ?? ''))
    throw new SettingsError(
      'SANDBOX=1 creates money from nothing, but STRIPE_SECRET_KEY is a live key, which takes real money. Unset SANDBOX, or use a test key (sk_test_…).',
    )
  // If another deployment keeps the money, it alone decides whether the money is real (requireRealMoney).
  return { gateway: !settings.paymentsHost, upstream: settings.upstreams.length === 0 }
}

/** A function on Vercel has no disk that outlives it, and nothing listens on its port. */
function requireOtherMachines({ database }: SettingsBeforeSandbox, sandbox: { upstream: boolean }): void {
  if (!database.url)
    throw new SettingsError(
      'DATABASE_URL is missing: nothing that a function on Vercel writes to a disk is kept. Set it, as in "Deploy to Vercel with Supabase" of README.md, and deploy again.',
    )
  if (sandbox.upstream)
    throw new SettingsError(
      'SANDBOX=1 is not possible on Vercel, where its pretend AI host cannot be reached. Unset SANDBOX, and set OPENROUTER_API_KEY or UPSTREAM_BASE_URL.',
    )
}

/** An upstream beyond this machine, which sends a bill. */
export function findDistantUpstream({
  upstreams,
  elevenLabs,
}: Pick<SettingsBeforeSandbox, 'upstreams' | 'elevenLabs'>): UpstreamSettings | undefined {
  const paid = elevenLabs ? [...upstreams, elevenLabs] : upstreams
  return paid.find(upstream => !isLoopback(upstream.baseUrl))
}

function isLoopback(address: string): boolean {
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

/** Null if it is not set. */
function readFlag(environment: Environment, name: string): boolean | null {
  const value = readVariable(environment, name)
  if (value === undefined) return null
  if (value === '0' || value === 'false') return false
  if (value === '1' || value === 'true') return true
  throw new SettingsError(`${name} is not valid: expected 1 or 0.`)
}

function readNumber(
  environment: Environment,
  name: string,
  { fallback, min, max }: { fallback: number; min: number; max: number },
): number {
  const given = Number(readVariable(environment, name) ?? fallback)
  if (Number.isInteger(given) && given >= min && given <= max) return given
  throw new SettingsError(`${name} is not valid: expected a number from ${min} to ${max}.`)
}

/** The pages are not served below a path, so links that begin with one would all be dead. */
const siteUrl = baseUrl
  .refine(
    value => new URL(value).pathname === '/',
    'expected a URL without a path, such as https://chat.example',
  )
  // As browsers write it: whether it begins with `https:` decides whether cookies are secure.
  .transform(value => new URL(value).origin)

function readSiteUrl(environment: Environment): string | null {
  const given = readOne(environment, 'SITE_URL', siteUrl)
  const vercelHost = readVariable(environment, 'VERCEL_PROJECT_PRODUCTION_URL')
  return given ?? (vercelHost ? `https://${vercelHost}` : null)
}

const PRICE_MARKUP_MAX = 100n

/** 0.055 means +5.5 %. Never negative, since the site would then lose on every answer. */
function readPriceMarkup(environment: Environment) {
  const markup = parseDecimal(readVariable(environment, 'PRICE_MARKUP') ?? '0')
  if (
    markup &&
    markup.coefficient >= 0n &&
    markup.coefficient <= PRICE_MARKUP_MAX * 10n ** BigInt(markup.scale)
  )
    return markup
  throw new SettingsError(
    `PRICE_MARKUP is not valid: expected a decimal from 0 to ${PRICE_MARKUP_MAX}, such as 0.055 for +5.5 %.`,
  )
}
