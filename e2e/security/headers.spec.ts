import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { APIResponse } from '@playwright/test'
import { PAGES } from '@/lib/telemetry/page-address'
import { startRelay } from '@/test/stand-ins/wallet-relay'
import { startApp } from '@/test/support/app-process'
import { UPSTREAM_PORT } from '@/test/support/ports'
import { expect, test } from '@/test/support/test'

const PATHS = [
  '/',
  ...PAGES,
  '/de',
  '/fr/pricing',
  '/no-such-page',
  '/_next/no-such-file',
  '/.well-known/no-such-file',
  '/sandbox',
]
const PRIVATE_ROUTES = ['/keys', '/queries/history', '/topup/refill/link']
const HEX_64 = '0'.repeat(64)

/** Headers that have bypassed middleware (CVE-2025-29927 and similar). */
const BYPASSES: Record<string, string>[] = [
  { 'x-middleware-subrequest': 'middleware' },
  { 'x-middleware-subrequest': Array(5).fill('middleware').join(':') },
  { 'x-middleware-subrequest': Array(5).fill('src/middleware').join(':') },
  { 'x-middleware-next': '1' },
  { 'x-middleware-rewrite': '/pricing' },
  { 'x-middleware-invoke': '1', 'x-invoke-path': '/pricing', 'x-invoke-status': '200' },
  { 'x-matched-path': '/pricing', 'x-now-route-matches': '1' },
  { 'x-nextjs-data': '1' },
  { rsc: '1', 'next-router-prefetch': '1' },
  { rsc: '1', 'next-router-segment-prefetch': '/_tree' },
  { 'next-action': HEX_64 },
  { purpose: 'prefetch', 'sec-purpose': 'prefetch' },
]

const policyOf = (response: APIResponse) => response.headers()['content-security-policy'] ?? ''
const nonceOf = (policy: string) => /script-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? ''

test('every page has a content security policy with a nonce, and no two responses share a nonce', async ({
  request,
}) => {
  const nonces = new Set<string>()
  for (const path of [...PATHS, ...PATHS]) {
    const response = await request.get(path)
    const policy = policyOf(response)
    const nonce = nonceOf(policy)
    expect(nonce.length, path).toBeGreaterThanOrEqual(22)
    nonces.add(nonce)
    expect(policy, path).toContain("'strict-dynamic'")
    expect(policy, path).not.toMatch(/unsafe-inline|unsafe-eval|https?:|\*/)
    for (const wall of ["object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
      expect(policy, path).toContain(wall)
    expect(response.headers(), path).toMatchObject({
      'cache-control': expect.stringContaining('no-store'),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
    })
    const scripts = (await response.text()).match(/<script\b(?![^>]*ld\+json)[^>]*>/g) ?? []
    expect(scripts.length, path).toBeGreaterThan(0)
    expect(
      scripts.filter(tag => !tag.includes(`nonce="${nonce}"`)),
      path,
    ).toEqual([])
  }
  expect(nonces.size).toBe(2 * PATHS.length)
})

test('a nonce or content security policy in the request headers is not used', async ({ request }) => {
  const sent = 'QUFBQUFBQUFBQUFBQUFBQQ=='
  const policy = `script-src 'nonce-${sent}' 'unsafe-inline'`
  for (const path of PATHS) {
    const response = await request.get(path, {
      headers: {
        'x-nonce': sent,
        'content-security-policy': policy,
        'content-security-policy-report-only': policy,
      },
    })
    expect(nonceOf(policyOf(response)), path).not.toBe('')
    expect(policyOf(response), path).not.toContain(sent)
    expect(response.headers()['content-security-policy-report-only'], path).toBeUndefined()
    expect(await response.text(), path).not.toContain(sent)
  }
})

test('API responses have a content security policy that allows nothing', async ({ request }) => {
  const paths = ['/v1/models', '/keys', '/queries/history', '/topup/payment-methods', '/v1/nothing']
  // The last path is Vercel's own, which serves nothing here.
  for (const path of [...paths, '/_vercel/no-such-file']) {
    const response = await request.get(path)
    expect(policyOf(response), path).toBe("default-src 'none'; frame-ancestors 'none'")
    expect(response.headers()['x-content-type-options'], path).toBe('nosniff')
  }
})

test('TRACE gets 405 on every path', async ({ request }) => {
  for (const path of ['/', '/sandbox', '/v1/models', '/robots.txt']) {
    const response = await request.fetch(path, { method: 'TRACE' })
    expect(response.status(), path).toBe(405)
    expect(response.headers().allow, path).toContain('GET')
    expect(await response.json(), path).toMatchObject({ error: { code: 'method_not_allowed' } })
  }
})

test('a state of the router that cannot be read is the mistake of the client', async ({ request }) => {
  const ask = (state: unknown) =>
    request.get('/pricing', {
      headers: { rsc: '1', 'next-router-state-tree': encodeURIComponent(JSON.stringify(state)) },
    })
  const unreadable = [
    null,
    [],
    {},
    'x',
    [['']],
    ['', { children: 1 }],
    ['', {}, ['/', 1]],
    ['x'.repeat(40_000), {}],
  ]
  for (const state of unreadable) {
    const answer = await ask(state)
    expect(answer.status(), JSON.stringify(state)).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { code: 'invalid_request' } })
  }
  expect((await ask(['', { children: [['locale', 'en', 'd', null], {}] }])).status()).toBe(200)
})

test('no cache keeps a frame of ours longer than its script', async ({ request }) => {
  for (const name of ['diagram', 'wallet']) {
    const kept = async (path: string) => (await request.get(path)).headers()['cache-control']
    expect(await kept(`/${name}.js`), name).toMatch(/^public, max-age=\d+$/)
    expect(await kept(`/${name}.html`), name).toBe(await kept(`/${name}.js`))
  }
})

test('the wallet frame has an opaque origin and can connect only to the relay of its connection', async ({
  page,
}) => {
  const [relay, other] = await Promise.all([startRelay(), startRelay()])
  await page.goto('/pricing')
  await page.evaluate(
    relayUrl =>
      new Promise<void>(resolve => {
        const frame = document.createElement('iframe')
        frame.src = '/wallet.html'
        window.addEventListener('message', ({ source, data }) => {
          if (source !== frame.contentWindow || data !== 'wallet frame') return
          const connection = `nostr+walletconnect://${'a'.repeat(64)}?relay=${relayUrl}&secret=${'b'.repeat(64)}`
          const request = { connection, relayUrls: [relayUrl], question: { kind: 'introduce' } }
          frame.contentWindow?.postMessage(request, '*', [new MessageChannel().port2])
          resolve()
        })
        document.body.append(frame)
      }),
    relay.url,
  )
  const frame = page.frame({ url: /\/wallet\.html$/ })
  const reach = (url: string) =>
    frame?.evaluate(
      address =>
        new Promise<string>(resolve => {
          document.addEventListener('securitypolicyviolation', () => resolve('blocked'), { once: true })
          new WebSocket(address).onopen = () => resolve('open')
        }),
      url,
    )
  await expect.poll(() => reach(other.url)).toBe('blocked')
  expect(await reach(relay.url)).toBe('open')
  expect(await frame?.evaluate(() => window.origin)).toBe('null')
  await Promise.all([relay.stop(), other.stop()])
})

test('no request header or path suffix bypasses private routes or the content security policy of pages', async ({
  request,
}) => {
  for (const headers of BYPASSES) {
    const sent = JSON.stringify(headers)
    for (const path of PRIVATE_ROUTES) {
      for (const suffix of ['', '.rsc', '?_rsc=1', '.segments/_tree.segment.rsc', '/']) {
        const response = await request.get(`${path}${suffix}`, { headers })
        const attempt = `${path}${suffix} with ${sent}`
        expect([200, 401, 404], attempt).toContain(response.status())
        // The suffix makes it a different path, which gets the "not found" page in the requested format.
        if (response.ok()) {
          expect(response.headers()['content-type'], attempt).toContain('text/x-component')
          expect(policyOf(response), attempt).toMatch(/^default-src '(none|self)'/)
        }
      }
    }
    for (const path of PATHS) {
      const response = await request.get(path, { headers })
      expect(response.status(), `${path} with ${sent}`).toBeLessThan(500)
      expect(nonceOf(policyOf(response)), `${path} with ${sent}`).not.toBe('')
    }
  }
})

test('rate limits cannot be evaded with forged client address headers', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tuppence-address-'))
  // The sandbox is off, since its rate limits are higher.
  const app = await startApp({
    dataDirectory: directory,
    upstreamBaseUrl: `http://127.0.0.1:${UPSTREAM_PORT}/v1`,
    environment: { SANDBOX: '0' },
  })
  try {
    const create = (address: string) =>
      fetch(`${app.baseUrl}/accounts/create`, {
        method: 'POST',
        headers: {
          'x-forwarded-for': address,
          'x-client-address': address,
          'x-real-ip': address,
          forwarded: `for=${address}`,
          'cf-connecting-ip': address,
          'true-client-ip': address,
        },
      })
    const statuses: number[] = []
    // One more account than an address may create in an hour.
    for (let count = 0; count < 21; count += 1) statuses.push((await create(`198.51.100.${count}`)).status)
    expect(statuses).toEqual([...Array(20).fill(200), 429])
    const refused = await create('203.0.113.7')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ error: { code: 'rate_limited', param: null } })
  } finally {
    await app.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})

test('behind one trusted proxy, rate limits use the address that the proxy appended', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tuppence-proxy-'))
  const app = await startApp({
    dataDirectory: directory,
    upstreamBaseUrl: `http://127.0.0.1:${UPSTREAM_PORT}/v1`,
    environment: { SANDBOX: '0', TRUSTED_PROXY_COUNT: '1' },
  })
  try {
    const create = async (forwarded: string) =>
      (
        await fetch(`${app.baseUrl}/accounts/create`, {
          method: 'POST',
          headers: { 'x-forwarded-for': forwarded },
        })
      ).status
    const statuses: number[] = []
    for (let count = 0; count < 21; count += 1) statuses.push(await create(`198.51.100.${count}, 192.0.2.1`))
    expect(statuses).toEqual([...Array(20).fill(200), 429])
    expect(await create('192.0.2.1, 192.0.2.2')).toBe(200)
  } finally {
    await app.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})

test('the API and pages ignore a request to upgrade the protocol', async ({ request, baseURL }) => {
  // Next listens for upgrades only after its first page.
  await request.get('/')
  for (const path of ['/v1/models', '/pricing']) {
    const headers = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAMAAABkAAQAAP__',
    }
    const [answer] = (await once(get(`${baseURL}${path}`, { headers }), 'response')) as [IncomingMessage]
    answer.destroy()
    expect([path, answer.statusCode]).toEqual([path, 200])
  }
})
