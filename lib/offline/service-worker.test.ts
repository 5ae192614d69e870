import { describe, expect, test } from '@jest/globals'
import { AWAY_STATUSES } from '@/lib/http/client/call-api'
import { CREDENTIAL_HEADERS } from '@/lib/http/credential'
import { NEEDS_NETWORK } from '@/lib/i18n/chat-address'
import { serviceWorker } from './service-worker'

const SITE = 'https://site.test'

type Listener = (event: Record<string, unknown>) => void

/** A browser's caches and network around a worker; workers of one browser share the caches. */
class TestBrowser {
  readonly stores = new Map<string, Map<string, Response>>()
  readonly asked: Request[] = []
  isOnline = true
  isFull = false
  isDamaged = false
  /** A network that wants a login first answers everything with its own page. */
  wantsLogin = false
  /** The server is away, and a proxy answers in its place. */
  awayStatus: number | null = null
  pages: Record<string, string> = {}

  readonly caches = {
    keys: async () => [...this.stores.keys()],
    delete: async (name: string) => this.stores.delete(name),
    open: async (name: string) => {
      if (this.isDamaged) throw new DOMException('Unexpected internal error.', 'UnknownError')
      return this.#cache(name)
    },
    match: async (request: Request | string, { cacheName }: { cacheName?: string } = {}) => {
      if (this.isDamaged) throw new DOMException('Unexpected internal error.', 'UnknownError')
      for (const name of cacheName === undefined ? this.stores.keys() : [cacheName]) {
        const found = await this.#cache(name).match(request)
        if (found) return found
      }
      return undefined
    },
  }

  #cache(name: string) {
    const store = this.stores.get(name) ?? new Map<string, Response>()
    this.stores.set(name, store)
    const keyOf = (request: Request | string) => (typeof request === 'string' ? request : request.url)
    return {
      match: async (request: Request | string) => store.get(keyOf(request))?.clone(),
      put: async (request: Request | string, response: Response) => {
        if (this.isFull) throw new DOMException('Quota exceeded.', 'QuotaExceededError')
        store.set(keyOf(request), response)
      },
      keys: async () => [...store.keys()].map(url => ({ url })),
    }
  }

  /** A worker of that build, after it has taken over. */
  async worker(build: string) {
    const listeners = new Map<string, Listener>()
    const scope = {
      location: { origin: SITE },
      caches: this.caches,
      clients: { claim: async () => undefined },
      registration: {},
      skipWaiting: async () => undefined,
      addEventListener: (type: string, listener: Listener) => listeners.set(type, listener),
      fetch: async (input: string | Request, init?: RequestInit) => {
        if (!this.isOnline) throw new TypeError('Failed to fetch')
        const request = new Request(input, init)
        this.asked.push(request)
        const { pathname } = new URL(request.url)
        if (this.awayStatus) return new Response('Bad gateway', { status: this.awayStatus })
        if (this.wantsLogin) return new Response('Log in', { headers: { 'content-type': 'text/html' } })
        const headers = { 'content-security-policy': `script-src 'nonce-${pathname}'` }
        return new Response(this.pages[pathname] ?? `body of ${pathname}`, { headers })
      },
    }
    serviceWorker(scope as never, build)
    const lasting = async (type: string, event: object = {}) => {
      const works: Promise<unknown>[] = []
      listeners.get(type)?.({ ...event, waitUntil: (work: Promise<unknown>) => works.push(work) })
      await Promise.all(works)
    }
    await lasting('activate')
    return {
      keep: (path: string, files: string[] = []) =>
        lasting('message', { data: { path, language: 'en', files } }),
      /** Null if the worker leaves the request to the browser. */
      async get(
        path: string,
        init: {
          method?: string
          mode?: string
          body?: BodyInit
          headers?: Record<string, string>
          preloadResponse?: Promise<Response>
        } = {},
      ) {
        const { mode, preloadResponse, ...rest } = init
        const request = new Request(SITE + path, rest)
        if (mode) Object.defineProperty(request, 'mode', { value: mode })
        let answer: Promise<Response> | null = null
        const respondWith = (given: Promise<Response>) => (answer = given)
        listeners.get('fetch')?.({ request, preloadResponse, respondWith })
        return answer as Promise<Response> | null
      },
    }
  }
}

const FILE = '/_next/static/chunks/a1b2.js'
const PAGE = `<script src="${FILE}"></script><script>["/_next/static/media/f.woff2"]</script>`

async function keptSite() {
  const browser = new TestBrowser()
  browser.pages = { '/': PAGE, '/de': PAGE }
  const worker = await browser.worker('b1')
  await worker.keep('/de')
  return { browser, worker }
}

describe('without a network', () => {
  test('the chat opens from the cache, with its security headers and files', async () => {
    const { browser, worker } = await keptSite()
    browser.isOnline = false
    const page = await worker.get('/de', { mode: 'navigate' })
    expect(await page?.text()).toBe(PAGE)
    expect(page?.headers.get('content-security-policy')).toBe("script-src 'nonce-/de'")
    expect(await (await worker.get(FILE))?.text()).toBe(`body of ${FILE}`)
    expect(await (await worker.get('/_next/static/media/f.woff2'))?.text()).toContain('f.woff2')
  })

  test('the chat opens from the cache in Firefox, too, where the page loaded ahead is an error', async () => {
    const { browser, worker } = await keptSite()
    browser.isOnline = false
    const preloadResponse = Promise.resolve(Response.error())
    const page = await worker.get('/de', { mode: 'navigate', preloadResponse })
    expect(await page?.text()).toBe(PAGE)
  })

  test('a conversation opens by its URL, in the cached language', async () => {
    const { browser, worker } = await keptSite()
    browser.isOnline = false
    expect(await (await worker.get('/de/c/a%20b', { mode: 'navigate' }))?.text()).toBe(PAGE)
    const other = await worker.get('/c/a%20b', { mode: 'navigate' })
    expect([other?.status, other?.headers.get('location')]).toEqual([302, `${SITE}/de/c/a%20b`])
    await worker.keep('/')
    expect((await worker.get('/es', { mode: 'navigate' }))?.headers.get('location')).toBe(`${SITE}/de`)
  })

  test('the last public list of models is used, and one requested with a credential is not cached', async () => {
    const { browser, worker } = await keptSite()
    const list = '/v1/models?type=chat,image'
    await worker.get(list)
    for (const name of ['authorization', ...CREDENTIAL_HEADERS])
      expect([name, await worker.get('/v1/models', { headers: { [name]: 'sk-1' } })]).toEqual([name, null])
    browser.isOnline = false
    expect(await (await worker.get(list))?.text()).toBe('body of /v1/models')
    await expect(worker.get('/v1/models')).rejects.toThrow('Failed to fetch')
  })

  test('another page redirects to the chat with a notice, or fails if no chat is cached', async () => {
    const { browser, worker } = await keptSite()
    browser.isOnline = false
    const page = await worker.get('/pricing', { mode: 'navigate' })
    expect([page?.status, page?.headers.get('location')]).toEqual([302, `${SITE}/de${NEEDS_NETWORK}`])
    const other = new TestBrowser()
    const fresh = await other.worker('b1')
    other.isOnline = false
    await expect(fresh.get('/', { mode: 'navigate' })).rejects.toThrow('Failed to fetch')
  })
})

test.each(AWAY_STATUSES)(
  'while the proxy answers %d for the server the chat opens from the cache, and other pages say what the proxy says',
  async status => {
    const { browser, worker } = await keptSite()
    browser.awayStatus = status
    const open = async (path: string) => (await worker.get(path, { mode: 'navigate' }))?.text()
    expect(await open('/de')).toBe(PAGE)
    expect(await open('/de/c/a')).toBe(PAGE)
    expect(await open('/pricing')).toBe('Bad gateway')
    expect(await open('/fr')).toBe('Bad gateway')
  },
)

test('files of the build and lists of models loaded before are cached, too, and nothing else', async () => {
  const { browser, worker } = await keptSite()
  await worker.keep('/de', [
    `${SITE}/_next/static/chunks/later.js`,
    `${SITE}/v1/models?type=chat,image`,
    `${SITE}/keys`,
    'https://elsewhere.test/v1/models?type=chat,image',
  ])
  browser.isOnline = false
  expect(await (await worker.get('/_next/static/chunks/later.js'))?.text()).toContain('later.js')
  expect(await (await worker.get('/v1/models?type=chat,image'))?.text()).toBe('body of /v1/models')
  const asked = browser.asked.map(({ url }) => url)
  expect(asked.filter(url => url.endsWith('/keys') || !url.startsWith(SITE))).toEqual([])
})

test.each([
  ['full', 'isFull'],
  ['damaged', 'isDamaged'],
] as const)(
  'where the storage is %s, files and models come from the network, and no page without its files is cached',
  async (_, fault) => {
    const browser = new TestBrowser()
    browser.pages = { '/': PAGE }
    const worker = await browser.worker('b1')
    browser[fault] = true
    expect(await (await worker.get(FILE))?.text()).toBe(`body of ${FILE}`)
    expect(await (await worker.get('/v1/models'))?.text()).toBe('body of /v1/models')
    await worker.keep('/', [`${SITE}${FILE}`])
    expect([...(browser.stores.get('tuppence-b1')?.keys() ?? [])]).toEqual([])
  },
)

test('files are kept by the addresses that the page asks for, which name the deployment on Vercel', async () => {
  const browser = new TestBrowser()
  browser.pages['/'] = PAGE.replaceAll(/\.(js|woff2)/g, '.$1?dpl=dpl_9xAb')
  const worker = await browser.worker('1')
  await worker.keep('/')
  expect(browser.asked.map(({ url }) => url)).not.toContain(SITE + FILE)
  browser.isOnline = false
  expect(await (await worker.get(`${FILE}?dpl=dpl_9xAb`))?.text()).toContain('a1b2.js')
  expect(await (await worker.get('/_next/static/media/f.woff2?dpl=dpl_9xAb'))?.text()).toContain('f.woff2')
})

test('the page of a network that wants a login is not taken for what it stands in for', async () => {
  const browser = new TestBrowser()
  browser.pages = { '/': PAGE }
  const worker = await browser.worker('b1')
  browser.wantsLogin = true
  for (const path of [FILE, '/v1/models']) expect(await (await worker.get(path))?.text()).toBe('Log in')
  await worker.keep('/')
  browser.wantsLogin = false
  expect(await (await worker.get(FILE))?.text()).toBe(`body of ${FILE}`)
  browser.isOnline = false
  await expect(worker.get('/', { mode: 'navigate' })).rejects.toThrow('Failed to fetch')
})

test('pages are cached without credentials', async () => {
  const { browser } = await keptSite()
  expect(browser.asked.map(({ credentials }) => credentials)[0]).toBe('omit')
})

test('with a network, pages come from the server and cached files from the cache', async () => {
  const { browser, worker } = await keptSite()
  browser.pages['/de'] = 'newer'
  expect(await (await worker.get('/de', { mode: 'navigate' }))?.text()).toBe('newer')
  const { length } = browser.asked
  await worker.get(FILE)
  expect(browser.asked).toHaveLength(length)
})

test.each([
  '/v1/audio/voices',
  '/api/payments/account/x/credit',
  '/queries/history',
  '/de?_rsc=1',
  '/openapi.json',
])('it does not handle %s', async path => {
  const { browser, worker } = await keptSite()
  expect(await worker.get(path)).toBeNull()
  expect(await worker.get(path, { method: 'POST' })).toBeNull()
  expect([...browser.stores.values()].flatMap(store => [...store.keys()])).not.toContain(SITE + path)
})

test('only the last earlier build is kept', async () => {
  const { browser } = await keptSite()
  await browser.worker('b2')
  const third = await browser.worker('b3')
  await third.keep('/')
  await browser.worker('b4')
  expect([...browser.stores.keys()].sort()).toEqual(['tuppence-b3'])
})

test('shared content is passed to the chat in the URL fragment', async () => {
  const { browser, worker } = await keptSite()
  const { length } = browser.asked
  const body = new URLSearchParams({ title: 'A page', url: 'https://elsewhere.test/' })
  const answer = await worker.get('/share', { method: 'POST', body })
  const location = new URL(answer?.headers.get('location') ?? '')
  expect([answer?.status, location.pathname]).toEqual([303, '/de'])
  expect(decodeURIComponent(location.hash)).toBe('#share=A page\nhttps://elsewhere.test/')
  expect(browser.asked).toHaveLength(length)
})
