import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { readServerSettings } from './settings'
import { SettingsError } from './settings-error'

const directory = mkdtempSync(join(tmpdir(), 'tuppence-settings-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function file(name: string, content: string): string {
  const path = join(directory, name)
  writeFileSync(path, content)
  return path
}

const NWC_URL = `nostr+walletconnect://${'a'.repeat(64)}?relay=wss%3A%2F%2Frelay.example&secret=${'b'.repeat(64)}`
const GATEWAY_SETTINGS = [
  { NWC_URL },
  { STRIPE_SECRET_KEY: 'k', STRIPE_WEBHOOK_SECRET: 's' },
  {
    BTCPAY_URL: 'https://pay.example',
    BTCPAY_STORE_ID: 's',
    BTCPAY_API_KEY: 'k',
    BTCPAY_WEBHOOK_SECRET: 'w',
  },
]
/** As short as is allowed. */
const HOST_TOKEN = 'abcdefghijklmnop'

describe('incomplete or malformed settings stop the start and name the variable', () => {
  test.each<[Record<string, string>, string]>([
    [{ BTCPAY_URL: 'https://pay.example' }, 'BTCPAY_STORE_ID'],
    [{ BTCPAY_URL: 'ftp://pay.example', BTCPAY_STORE_ID: 's', BTCPAY_API_KEY: 'k' }, 'BTCPAY_URL'],
    [{ STRIPE_SECRET_KEY: 'sk_test_1' }, 'STRIPE_WEBHOOK_SECRET'],
    [{ CURATED_MODELS: 'cheap=maker/small' }, 'CURATED_MODELS is'],
    [{ CURATED_MODELS: 'quick=' }, 'CURATED_MODELS is'],
    [{ CURATED_MODELS: 'quick=a,quick=b' }, 'CURATED_MODELS is'],
    [{ CURATED_MODELS: 'quick=a,best' }, 'CURATED_MODELS is'],
    [{ NWC_URL: 'https://wallet.example' }, 'NWC_URL'],
    [{ NWC_URL: NWC_URL.replace(/relay=[^&]*&/, '') }, 'NWC_URL is'],
    [{ NWC_URL: NWC_URL.replace('wss', 'https') }, 'NWC_URL is'],
    [{ NWC_URL: NWC_URL.replace(/&secret=.*/, '') }, 'NWC_URL is'],
    [{ NWC_URL: NWC_URL.slice(0, -1) }, 'NWC_URL is'],
    [{ PAYMENTS_HOST: 'https://host.example' }, 'PAYMENTS_HOST_TOKEN'],
    [{ PAYMENTS_HOST: 'host.example', PAYMENTS_HOST_TOKEN: HOST_TOKEN }, 'PAYMENTS_HOST is'],
    [{ PAYMENTS_HOST_TOKEN: HOST_TOKEN.slice(1) }, 'PAYMENTS_HOST_TOKEN'],
    [{ NEXT_PUBLIC_SUPABASE_URL: 'https://x.supabase.co' }, 'NEXT_PUBLIC_SUPABASE_PUBLISHABLE_KEY'],
    [
      { NEXT_PUBLIC_SUPABASE_URL: 'x.supabase.co', NEXT_PUBLIC_SUPABASE_ANON_KEY: 'k' },
      'NEXT_PUBLIC_SUPABASE_URL',
    ],
    [{ NEXT_PUBLIC_SUPABASE_ANON_KEY: 'k' }, 'NEXT_PUBLIC_SUPABASE_URL'],
    [{ UPSTREAM_API_KEY: 'k' }, 'UPSTREAM_BASE_URL'],
    [{ UPSTREAM_BASE_URL: 'localhost:11434' }, 'UPSTREAM_BASE_URL'],
    [{ UPSTREAMS_FILE: '/does/not/exist.json' }, 'UPSTREAMS_FILE'],
    [
      { UPSTREAMS_TEXT: '[{"id": "one", "api_key": "k"' },
      'UPSTREAMS_TEXT is not valid: it is no JSON, from line 1 column 30 on.',
    ],
    [
      { MODEL_PRICES_TEXT: '{\n"a": 1,\n}' },
      'MODEL_PRICES_TEXT is not valid: it is no JSON, from line 3 column 1',
    ],
    [{ MODEL_PRICES_FILE: '/does/not/exist.json' }, 'MODEL_PRICES_FILE names'],
    [{ UPSTREAMS_TEXT: '[{"id": "one"}]' }, 'UPSTREAMS_TEXT is not valid at 0.base_url'],
    [
      { UPSTREAMS_TEXT: '[]', UPSTREAMS_FILE: 'hosts.json' },
      'UPSTREAMS_FILE and UPSTREAMS_TEXT are both set',
    ],
    [{ MODEL_PRICES_TEXT: '{}', MODEL_PRICES_FILE: 'prices.json' }, 'MODEL_PRICES_TEXT are both set'],
    [{ PRICE_MARKUP: '-0.1' }, 'PRICE_MARKUP'],
    [{ PRICE_MARKUP: 'NaN' }, 'PRICE_MARKUP'],
    [{ PRICE_MARKUP: '101' }, 'PRICE_MARKUP is not valid: expected a decimal from 0 to 100'],
    [{ TOPUP_BONUS: 'paypal=0.05' }, 'TOPUP_BONUS'],
    [{ TOPUP_BONUS: 'card=1.5' }, 'TOPUP_BONUS'],
    [{ TOPUP_BONUS: 'card' }, 'TOPUP_BONUS'],
    [{ TOPUP_BONUS: 'card=0.05,btc=0.01,card=0' }, 'TOPUP_BONUS is not valid: it names card twice'],
    [{ OPENROUTER_API_KEY: '"sk-or-1"' }, 'OPENROUTER_API_KEY is not valid: it is in quotes'],
    // A dash for a hyphen, and an invisible space, as they get in when a key is copied from a document.
    [{ OPENROUTER_API_KEY: 'sk–or–1' }, 'OPENROUTER_API_KEY is not valid: a character'],
    [
      { UPSTREAM_BASE_URL: 'https://host.example/v1', UPSTREAM_API_KEY: 'sk-\u200b1' },
      'UPSTREAM_API_KEY is not valid: a character',
    ],
    [
      { UPSTREAMS_TEXT: '[{"id": "one", "base_url": "https://host.example/v1", "api_key": "sk–1"}]' },
      'UPSTREAMS_TEXT is not valid at 0.api_key: a character',
    ],
    [
      { STRIPE_SECRET_KEY: 'sk_live–1', STRIPE_WEBHOOK_SECRET: 's' },
      'STRIPE_SECRET_KEY is not valid: a char',
    ],
    [
      { BTCPAY_URL: 'https://pay.example', BTCPAY_STORE_ID: 's', BTCPAY_API_KEY: 'k–' },
      'BTCPAY_API_KEY is not valid: a character',
    ],
    [{ ELEVENLABS_API_KEY: 'k–' }, 'ELEVENLABS_API_KEY is not valid: a character'],
    [
      { PAYMENTS_HOST: 'https://host.example', PAYMENTS_HOST_TOKEN: `${HOST_TOKEN}–` },
      'PAYMENTS_HOST_TOKEN is not valid: a character',
    ],
    [{ CRON_SECRET: `${HOST_TOKEN}–` }, 'CRON_SECRET is not valid: a character'],
    [
      { NEXT_PUBLIC_SUPABASE_URL: 'https://x.supabase.co', NEXT_PUBLIC_SUPABASE_PUBLISHABLE_KEY: 'k–' },
      'NEXT_PUBLIC_SUPABASE_PUBLISHABLE_KEY is not valid: a character',
    ],
    [{ CRON_SECRET: "'0123456789abcdef'" }, 'CRON_SECRET is not valid: it is in quotes'],
    [
      { STRIPE_SECRET_KEY: 'pk_live_1', STRIPE_WEBHOOK_SECRET: 's' },
      'STRIPE_SECRET_KEY is not valid: this is',
    ],
    [
      { STRIPE_SECRET_KEY: 'whsec_1', STRIPE_WEBHOOK_SECRET: 'sk_live_1' },
      'STRIPE_SECRET_KEY is not valid: this is the webhook',
    ],
    [{ STRIPE_SECRET_KEY: 'sk_live_1', STRIPE_WEBHOOK_SECRET: 'we_1' }, 'STRIPE_WEBHOOK_SECRET is not valid'],
    [
      { NEXT_PUBLIC_SUPABASE_URL: 'https://x.supabase.co/rest/v1/', NEXT_PUBLIC_SUPABASE_ANON_KEY: 'k' },
      'NEXT_PUBLIC_SUPABASE_URL is not valid: expected the address of the project, without /rest/v1',
    ],
    [{ PORT: '0' }, 'PORT'],
    [{ PORT: 'http' }, 'PORT'],
    [{ DATABASE_URL: 'mysql://localhost/x' }, 'DATABASE_URL'],
    [
      { DATABASE_URL: 'postgres://' },
      'DATABASE_URL is not valid: expected postgres://<user>:<password>@<host>',
    ],
    [{ DATABASE_URL: 'postgres://user:pass#word@localhost/x' }, 'percent-encoded'],
    [{ DATABASE_URL: 'postgres://user:100%e4@localhost/x' }, 'percent-encoded'],
    [{ DATABASE_URL: 'postgres://user:[YOUR-PASSWORD]@localhost/x' }, 'in place of [YOUR-PASSWORD]'],
    [
      { DATABASE_URL: 'postgres://localhost/x?pgbouncer=true?sslmode=no-verify' },
      'DATABASE_URL is not valid: it has two question marks',
    ],
    [{ DATABASE_URL: 'postgres://localhost/x?sslmode=noverify' }, 'sslmode=noverify'],
    [
      { DATABASE_URL: 'postgres://localhost/x?sslmode=verify-full&sslrootcert=/does/not/exist.crt' },
      'DATABASE_URL names /does/not/exist.crt, which cannot be read',
    ],
    [{ DATABASE_DIRECT_URL: 'postgres://localhost/x', OPENROUTER_API_KEY: 'k' }, 'DATABASE_URL is missing'],
    // Advice about a folder would lead nowhere: none outlives a function.
    [{ VERCEL: '1' }, 'DATABASE_URL is missing: nothing that a function on Vercel writes to a disk is kept.'],
    [{ VERCEL: '1', OPENROUTER_API_KEY: 'k', DATA_DIR: '/tmp/data' }, 'DATABASE_URL is missing'],
    [{ DATA_DIR: '~/data' }, 'DATA_DIR is not valid: ~ is not your home here'],
    [{ DATA_DIR: '~' }, 'DATA_DIR is not valid'],
    [{ DATA_DIR: '/proc/x' }, 'DATA_DIR is not valid: nothing can be stored in /proc'],
    [
      { VERCEL: '1', SANDBOX: '1', DATABASE_URL: 'postgres://localhost/x' },
      'SANDBOX=1 is not possible on Vercel',
    ],
    [{ SENTRY_DSN: 'not a url' }, 'SENTRY_DSN'],
    [{ SENTRY_DSN: 'https://errors.example/42' }, 'SENTRY_DSN'],
    [{ SENTRY_DSN: 'https://key@errors.example/' }, 'SENTRY_DSN'],
    [{ ANALYTICS_FRAME_URL: 'count.example' }, 'ANALYTICS_FRAME_URL'],
    [{ GA_MEASUREMENT_ID: 'UA-1' }, 'GA_MEASUREMENT_ID'],
    [{ GA_MEASUREMENT_ID: 'G-1', GA_COLLECT_URL: 'collect' }, 'GA_COLLECT_URL'],
    [{ GA_COLLECT_URL: 'collect' }, 'GA_COLLECT_URL is'],
    [{ STRIPE_API_BASE: 'localhost:12111' }, 'STRIPE_API_BASE is'],
    [{ ELEVENLABS_BASE_URL: 'voices' }, 'ELEVENLABS_BASE_URL is'],
    [{ BTC_RATE_URL: 'rate' }, 'BTC_RATE_URL is'],
    [{ AUTH_CAPTCHA_FRAME_URL: 'check.example' }, 'AUTH_CAPTCHA_FRAME_URL is'],
    [{ AUTH_PROVIDER_PARAMETERS: 'google' }, 'AUTH_PROVIDER_PARAMETERS is'],
    [{ SUPPORT_WIDGET_URL: 'https://help.example' }, 'SUPPORT_WIDGET_TOKEN'],
    [{ SITE_URL: 'tuppence.example' }, 'SITE_URL'],
    [
      { SITE_URL: 'https://tuppence.example/?from=mail' },
      'SITE_URL is not valid: expected a URL without a query',
    ],
    [{ SITE_URL: 'https://tuppence.example/chat' }, 'SITE_URL is not valid: expected a URL without a path'],
    [
      { UPSTREAM_BASE_URL: 'https://host.example/v1?api-version=1' },
      'UPSTREAM_BASE_URL is not valid: expected a URL without',
    ],
    [
      { UPSTREAM_BASE_URL: 'https://host.example/v1#top' },
      'UPSTREAM_BASE_URL is not valid: expected a URL without',
    ],
    [
      { UPSTREAM_BASE_URL: 'https://user:secret@host.example/v1' },
      'UPSTREAM_BASE_URL is not valid: expected a URL without a user name and a password.',
    ],
    [{ SANDBOX: 'yes' }, 'SANDBOX'],
    [{ TRUSTED_PROXY_COUNT: '-1' }, 'TRUSTED_PROXY_COUNT'],
    [{ METRICS_TOKEN: 'too short' }, 'METRICS_TOKEN'],
    [{ CRON_SECRET: 'x' }, 'CRON_SECRET is not valid: expected at least 16 characters'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    [{ LOG_FORMAT: 'xml' }, 'LOG_FORMAT'],
    [{ OPERATOR_NAME: 'x'.repeat(201) }, 'OPERATOR_NAME'],
    [{ TERMS_FILE: '/does/not/exist.md' }, 'TERMS_FILE'],
    [{ PRIVACY_FILE: '/tmp/privacy.md', PRIVACY_TEXT_DE: 'Text' }, 'PRIVACY_TEXT_DE'],
    [{ TERMS_TEXT: 'x'.repeat(200_001) }, 'TERMS'],
  ])('%j names %s', (environment, variable) => {
    expect(() => readServerSettings(environment)).toThrow(SettingsError)
    expect(() => readServerSettings(environment)).toThrow(variable)
  })

  test('an upstreams file that is not a list of upstreams names the field', () => {
    const path = file('wrong.json', '[{"id": "one"}]')
    expect(() => readServerSettings({ UPSTREAMS_FILE: path })).toThrow(/UPSTREAMS_FILE.*0\.base_url/)
    const misspelt = file(
      'misspelt.json',
      '[{"id": "one", "base_url": "https://host.example", "apikey": "k"}]',
    )
    expect(() => readServerSettings({ UPSTREAMS_FILE: misspelt })).toThrow(/UPSTREAMS_FILE.*"apikey"/)
    const asked = file('asked.json', '[{"id": "one", "base_url": "https://host.example/v1?api-version=1"}]')
    expect(() => readServerSettings({ UPSTREAMS_FILE: asked })).toThrow(/0\.base_url.*without a query/)
  })

  test.each([
    ['one', { OPENROUTER_API_KEY: 'k' }],
    ['openrouter', { OPENROUTER_API_KEY: 'k' }],
    ['upstream', { UPSTREAM_BASE_URL: 'https://host.example/v1' }],
    ['elevenlabs', {}],
  ])('two hosts with one id are refused, such as one of a file and "%s"', (id, others) => {
    const hosts = ['one', id].map(each => ({ id: each, base_url: `https://${each}.example/v1` }))
    const path = file('twice.json', JSON.stringify(hosts))
    expect(() => readServerSettings({ ...others, UPSTREAMS_FILE: path })).toThrow(
      `UPSTREAMS_FILE is not valid: two hosts have the id "${id}".`,
    )
  })
})

test('the address of the site is read as browsers write it', () => {
  expect(readServerSettings({ SITE_URL: 'HTTPS://Chat.Example:443/' }).siteUrl).toBe('https://chat.example')
})

test('settings of error reports and analytics are read as given', () => {
  const dsn = 'https://key:secret@errors.example:8443/base/42'
  expect(readServerSettings({ SENTRY_DSN: dsn, GA_MEASUREMENT_ID: 'G-1' })).toMatchObject({
    sentryDsn: dsn,
    analytics: { GA_MEASUREMENT_ID: 'G-1' },
  })
  expect(readServerSettings({ GA_COLLECT_URL: 'https://collect.example/g/collect' }).analytics).toBeNull()
})

describe('the operator’s own texts', () => {
  test('are read from files, one per language', () => {
    const path = file('terms.md', 'our terms')
    file('terms.de.md', 'unsere Bedingungen')
    expect(readServerSettings({ TERMS_FILE: path, OPERATOR_NAME: 'Shop Ltd' })).toMatchObject({
      operatorName: 'Shop Ltd',
      operatorTexts: { terms: { en: 'our terms', de: 'unsere Bedingungen', it: 'our terms' }, privacy: null },
    })
  })

  test('are read without the byte order mark that some editors write', () => {
    const { operatorTexts } = readServerSettings({ TERMS_FILE: file('marked.md', '\ufeff# Terms') })
    expect(operatorTexts.terms?.en).toBe('# Terms')
    const hosts = file('marked.json', '\ufeff[{"id": "a", "base_url": "https://a.example/v1"}]')
    expect(readServerSettings({ UPSTREAMS_FILE: hosts }).upstreams).toMatchObject([{ id: 'a' }])
  })

  test('are read from the environment without a disk', () => {
    const { operatorTexts } = readServerSettings({ PRIVACY_TEXT_FR: 'vie privée' })
    expect(operatorTexts).toEqual({ terms: null, privacy: { fr: 'vie privée' } })
  })
})

describe('the sandbox', () => {
  test('is on, with its own upstream, if nothing is configured', () => {
    expect(readServerSettings({}).sandbox).toEqual({ gateway: true, upstream: true })
  })

  test.each(['0', 'false'])('is off if nothing is configured, and SANDBOX=%s', value => {
    expect(readServerSettings({ SANDBOX: value }).sandbox).toEqual({ gateway: false, upstream: false })
  })

  test('is off as soon as anything real is configured', () => {
    expect(readServerSettings({ OPENROUTER_API_KEY: 'k' }).sandbox).toEqual({
      gateway: false,
      upstream: false,
    })
    for (const gateway of GATEWAY_SETTINGS)
      expect(readServerSettings(gateway).sandbox).toEqual({ gateway: false, upstream: false })
    expect(readServerSettings({ DATABASE_URL: 'postgres://localhost/x' }).sandbox.gateway).toBe(false)
    expect(readServerSettings({ ELEVENLABS_API_KEY: 'k' }).sandbox).toEqual({
      gateway: false,
      upstream: false,
    })
  })

  test('refuses to start beside ElevenLabs, unless that is on loopback', () => {
    const loopback = { ELEVENLABS_API_KEY: 'k', ELEVENLABS_BASE_URL: 'http://127.0.0.1:9/' }
    expect(readServerSettings({ SANDBOX: '1', ...loopback })).toMatchObject({
      sandbox: { gateway: true, upstream: true },
      elevenLabs: { id: 'elevenlabs', baseUrl: 'http://127.0.0.1:9', apiKey: 'k' },
    })
    expect(() => readServerSettings({ SANDBOX: '1', ELEVENLABS_API_KEY: 'k' })).toThrow(
      /ELEVENLABS_API_KEY points to api\.elevenlabs\.io/,
    )
    const distant = { ELEVENLABS_API_KEY: 'k', ELEVENLABS_BASE_URL: 'https://voices.example' }
    expect(() => readServerSettings({ SANDBOX: '1', ...distant })).toThrow(/ELEVENLABS_BASE_URL/)
    expect(readServerSettings({ ELEVENLABS_BASE_URL: 'https://voices.example' }).elevenLabs).toBeNull()
  })

  test.each(['http://127.0.0.1:9/v1', 'http://localhost:9/v1', 'http://[::1]:9/v1'])(
    'can be enabled beside an upstream on loopback: %s',
    baseUrl => {
      const settings = readServerSettings({ SANDBOX: '1', UPSTREAM_BASE_URL: baseUrl })
      expect(settings.sandbox).toEqual({ gateway: true, upstream: false })
    },
  )

  test.each([
    'https://openrouter.ai/api/v1',
    'http://127.0.0.1.evil.example/v1',
    'http://localhost.evil.example/v1',
  ])('refuses to start beside any other upstream: %s', baseUrl => {
    expect(() => readServerSettings({ SANDBOX: '1', UPSTREAM_BASE_URL: baseUrl })).toThrow(
      /SANDBOX=1.*UPSTREAM_BASE_URL/,
    )
  })

  test.each([
    ['sk_live_1', false],
    ['rk_live_1', false],
    ['sk_test_1', true],
  ])('stands beside a key for payments only if that is for tests: %s', (key, mayStart) => {
    const read = () =>
      readServerSettings({ SANDBOX: '1', STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: 'whsec_1' })
    if (mayStart) expect(read().sandbox.gateway).toBe(true)
    else expect(read).toThrow(/SANDBOX=1.*STRIPE_SECRET_KEY is a live key/)
  })
})

describe('the payments host', () => {
  test('with its token is the ledger of this deployment', () => {
    const settings = readServerSettings({
      PAYMENTS_HOST: 'https://host.example/',
      PAYMENTS_HOST_TOKEN: HOST_TOKEN,
      SANDBOX: '1',
    })
    expect(settings.paymentsHost).toEqual({
      PAYMENTS_HOST: 'https://host.example',
      PAYMENTS_HOST_TOKEN: HOST_TOKEN,
    })
    expect(settings.servesAsHostToken).toBeNull()
    expect(settings.sandbox).toEqual({ gateway: false, upstream: true })
  })

  test('is this deployment itself if only the token is set, without the sandbox', () => {
    const settings = readServerSettings({ PAYMENTS_HOST: ' ', PAYMENTS_HOST_TOKEN: HOST_TOKEN })
    expect(settings.paymentsHost).toBeNull()
    expect(settings.servesAsHostToken).toBe(HOST_TOKEN)
    expect(settings.sandbox).toEqual({ gateway: false, upstream: false })
  })

  test('is null if nothing is set', () => {
    expect(readServerSettings({})).toMatchObject({ paymentsHost: null, servesAsHostToken: null })
  })
})

test.each([
  'sb_secret_abcdefgh',
  `e30.${Buffer.from('{"iss":"supabase","role":"service_role"}').toString('base64url')}.c2ln`,
])('a secret key of Supabase is never given to visitors as the public one', key => {
  for (const name of ['NEXT_PUBLIC_SUPABASE_PUBLISHABLE_KEY', 'NEXT_PUBLIC_SUPABASE_ANON_KEY'])
    expect(() =>
      readServerSettings({ NEXT_PUBLIC_SUPABASE_URL: 'https://x.supabase.co', [name]: key }),
    ).toThrow(`${name} is not valid: this is a secret key`)
})

describe('given settings', () => {
  test('a wallet’s relay on the operator’s own network needs no TLS', () => {
    const nwcUrl = NWC_URL.replace('wss', 'ws')
    expect(readServerSettings({ NWC_URL: nwcUrl }).gateways.nwc).toEqual({ NWC_URL: nwcUrl })
  })

  test('a development server is not on Vercel, whose variables may be in a file beside it', () => {
    expect(readServerSettings({ VERCEL: '1', NODE_ENV: 'development' }).onVercel).toBe(false)
  })

  test('an empty variable counts as unset', () => {
    expect(readServerSettings({ BTCPAY_URL: '', STRIPE_SECRET_KEY: ' ' }).gateways.btcpay).toBeNull()
  })

  test('base URLs lose their trailing slashes', () => {
    expect(readServerSettings({ UPSTREAM_BASE_URL: 'http://127.0.0.1:9/v1//' }).upstreams[0]?.baseUrl).toBe(
      'http://127.0.0.1:9/v1',
    )
  })

  test('an OpenRouter key alone means OpenRouter', () => {
    expect(readServerSettings({ OPENROUTER_API_KEY: 'k' }).upstreams).toEqual([
      { id: 'openrouter', baseUrl: 'https://openrouter.ai/api/v1', apiKey: 'k', setBy: 'OPENROUTER_API_KEY' },
    ])
  })

  test('a file adds further upstreams in its order', () => {
    const path = file(
      'two.json',
      '[{"id":"a","base_url":"http://127.0.0.1:1/v1"},{"id":"b","base_url":"http://127.0.0.1:2/v1","api_key":"k"}]',
    )
    expect(readServerSettings({ UPSTREAMS_FILE: path }).upstreams.map(upstream => upstream.id)).toEqual([
      'a',
      'b',
    ])
  })

  test('further hosts need no file, as on Vercel', () => {
    const upstreams = '[{"id":"a","base_url":"https://a.example/v1","api_key":"k"}]'
    expect(readServerSettings({ UPSTREAMS_TEXT: upstreams }).upstreams).toEqual([
      { id: 'a', baseUrl: 'https://a.example/v1', apiKey: 'k', setBy: 'UPSTREAMS_TEXT' },
    ])
  })

  test('Supabase takes either name of its public key', () => {
    const url = 'https://x.supabase.co'
    expect(
      readServerSettings({ NEXT_PUBLIC_SUPABASE_URL: url, NEXT_PUBLIC_SUPABASE_ANON_KEY: 'old' }).supabase,
    ).toEqual({ url, publicKey: 'old' })
    expect(
      readServerSettings({ NEXT_PUBLIC_SUPABASE_URL: url, NEXT_PUBLIC_SUPABASE_PUBLISHABLE_KEY: 'new' })
        .supabase,
    ).toEqual({ url, publicKey: 'new' })
  })

  const providerParameters = (text: string) =>
    readServerSettings({
      NEXT_PUBLIC_SUPABASE_URL: 'https://x.supabase.co',
      NEXT_PUBLIC_SUPABASE_ANON_KEY: 'k',
      AUTH_PROVIDER_PARAMETERS: text,
    }).supabase?.providerParameters

  test('models named by the operator are read by their roles', () => {
    const settings = readServerSettings({ CURATED_MODELS: 'best=maker/large:beta, quick = maker/small' })
    expect(settings.curatedModels).toEqual({ best: 'maker/large:beta', quick: 'maker/small' })
    expect(readServerSettings({}).curatedModels).toBeNull()
  })

  test('query parameters of sign-in providers are read by provider', () => {
    expect(
      providerParameters(' google?prompt=select_account&scopes=email+profile  azure?scopes=email '),
    ).toEqual({ google: { prompt: 'select_account', scopes: 'email profile' }, azure: { scopes: 'email' } })
    expect(providerParameters('')).toBeUndefined()
  })

  test.each([
    'google',
    'google?',
    '?scopes=email',
    'Google?scopes=email',
    'google?scopes',
    'google?scopes=email profile',
    'google?redirect_to=https://elsewhere.example',
    'azure?scopes=email google?code_challenge=x',
  ])('a malformed sign-in provider setting stops the start: %s', text => {
    expect(() => providerParameters(text)).toThrow(/AUTH_PROVIDER_PARAMETERS is not valid at/)
  })
})
