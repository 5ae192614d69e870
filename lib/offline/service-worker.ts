/** What runs as /sw.js. It has no libraries: the parts of its global scope that it needs are typed here. */
interface WorkerScope {
  readonly location: { readonly origin: string }
  readonly caches: CacheStorage
  readonly clients: { claim(): Promise<void> }
  readonly registration: { readonly navigationPreload?: { enable(): Promise<void> } }
  fetch(request: string | Request, init?: RequestInit): Promise<Response>
  skipWaiting(): Promise<void>
  addEventListener(type: 'activate', listener: (event: Lasting) => void): void
  addEventListener(type: 'message', listener: (event: Lasting & { readonly data: unknown }) => void): void
  addEventListener(type: 'fetch', listener: (event: Fetching) => void): void
}

interface Lasting {
  waitUntil(work: Promise<unknown>): void
}

interface Fetching extends Lasting {
  readonly request: Request
  readonly preloadResponse?: Promise<Response | undefined>
  respondWith(response: Promise<Response>): void
}

/**
 * The service worker, as one self-contained function whose text is sent to browsers (app/sw.js). It caches the chat
 * page as anonymous visitors see it, the hashed files of the build and the public list of models, without which no
 * question can be asked; no other answer of the API, and nothing requested with a credential.
 *
 * `build` increases from build to build. The previous build's files are kept, so that its pages that are still open
 * find them; older ones are deleted.
 */
export function serviceWorker(scope: WorkerScope, build: string): void {
  const PREFIX = 'tuppence-'
  const CACHE_NAME = PREFIX + build
  const HASHED_FILES = '/_next/static/'
  /** As a page names them: on Vercel, which keeps earlier deployments, with that of the page. */
  const HASHED_FILE = /\/_next\/static\/[\w./~%-]+\.(?:js|css|woff2)(?:\?dpl=[\w-]+)?/g
  /** The chat in each language; other pages need the server. */
  const CHAT_PATH = /^\/(?:[a-z]{2}\/?)?$/
  /** The same page, which finds out by itself which conversation to show. */
  const CONVERSATION_PATH = /^((?:\/[a-z]{2})?)(\/c\/[^/]+)\/?$/
  /** As in lib/i18n/chat-address.ts. */
  const NEEDS_NETWORK = '#needs-network'
  const SHARE_PATH = '/share'
  const MODELS_PATH = '/v1/models'
  /** What a proxy answers while the server behind it is away, as in lib/http/client/call-api.ts. */
  const AWAY_STATUSES = [502, 503, 504]
  const CREDENTIALS = ['authorization', 'x-api-key', 'api-key', 'x-credit-id']

  const keyOf = (path: string) => scope.location.origin + path.replace(/(.)\/$/, '$1')

  scope.addEventListener('activate', event => {
    event.waitUntil(
      (async () => {
        const names = (await scope.caches.keys()).filter(name => name.startsWith(PREFIX)).sort()
        const old = names.filter(name => name !== CACHE_NAME).slice(0, -1)
        await Promise.all(old.map(name => scope.caches.delete(name)))
        await scope.registration.navigationPreload?.enable()
        await scope.clients.claim()
      })(),
    )
  })

  scope.addEventListener('message', event => {
    const { data } = event
    if (typeof data !== 'object' || data === null) return
    if ('takeOver' in data) event.waitUntil(scope.skipWaiting())
    else if ('path' in data && 'language' in data && 'files' in data) {
      const files = Array.isArray(data.files) ? data.files.map(String) : []
      event.waitUntil(
        // What is not available now is cached when it is requested; the page comes last, because it needs the rest.
        Promise.allSettled([keepFiles(files), keepModels(files)])
          .then(() => keepPage(String(data.path), String(data.language)))
          .catch(() => undefined),
      )
    }
  })

  scope.addEventListener('fetch', event => {
    const { request } = event
    const { origin, pathname } = new URL(request.url)
    if (origin !== scope.location.origin) return
    if (request.method === 'POST' && pathname === SHARE_PATH) event.respondWith(takeShared(request))
    if (request.method !== 'GET') return
    if (pathname.startsWith(HASHED_FILES)) event.respondWith(hashedFile(request))
    else if (pathname === MODELS_PATH && !CREDENTIALS.some(name => request.headers.has(name)))
      event.respondWith(modelList(request))
    else if (request.mode === 'navigate') event.respondWith(page(event, pathname))
  })

  /** Their names change with their contents, so a cached one is never out of date. */
  async function hashedFile(request: Request): Promise<Response> {
    const own = await kept(request, CACHE_NAME)
    if (own) return own
    const response = (await kept(request)) ?? (await scope.fetch(request))
    await keep(request, response)
    return response
  }

  /** The current list if there is a network. */
  async function modelList(request: Request): Promise<Response> {
    try {
      const response = await scope.fetch(request)
      await keep(request, response)
      return response
    } catch (error) {
      const last = await keptOfAny(request)
      if (last) return last
      throw error
    }
  }

  /** Of one build, or of any. A damaged cache has nothing, and must not stand between the page and the network. */
  async function kept(request: Request | string, cacheName?: string): Promise<Response | undefined> {
    try {
      return await scope.caches.match(request, { cacheName })
    } catch {
      return undefined
    }
  }

  /** Of this build, or else of the one before. */
  async function keptOfAny(request: Request | string): Promise<Response | undefined> {
    return (await kept(request, CACHE_NAME)) ?? kept(request)
  }

  /**
   * Caches a response if there is room; the page gets it in any case. A page in the place of a file or a list is not the
   * server's: a network that wants a login answers every request with one.
   */
  async function keep(request: Request, response: Response): Promise<void> {
    const isPage = response.headers.get('content-type')?.startsWith('text/html')
    if (response.status !== 200 || isPage) return
    const copy = response.clone()
    try {
      await (await scope.caches.open(CACHE_NAME)).put(request, copy)
    } catch {
      // It is fetched again when it is next wanted.
    }
  }

  async function keepFiles(addresses: readonly string[]): Promise<void> {
    const files = addresses.filter(address => address.startsWith(scope.location.origin + HASHED_FILES))
    await Promise.all(
      files.map(async file => {
        const request = new Request(file)
        await hashedFile(request)
        if (!(await kept(request, CACHE_NAME))) throw new Error(`Could not be cached: ${file}`)
      }),
    )
  }

  /** The list that the first page loaded before the worker could see it. */
  async function keepModels(addresses: readonly string[]): Promise<void> {
    const lists = addresses.filter(address => address.startsWith(`${scope.location.origin}${MODELS_PATH}?`))
    await Promise.all(lists.map(list => modelList(new Request(list))))
  }

  async function page(event: Fetching, pathname: string): Promise<Response> {
    const [, language, conversation = ''] = CONVERSATION_PATH.exec(pathname) ?? []
    const chat = language === undefined ? pathname : language || '/'
    const keptChat = async () => (CHAT_PATH.test(chat) ? keptOfAny(keyOf(chat)) : undefined)
    try {
      const preloaded = await event.preloadResponse
      // Firefox resolves with a network error where others reject.
      if (preloaded?.type === 'error') throw new TypeError('There is no network.')
      const response = preloaded ?? (await scope.fetch(event.request))
      return (AWAY_STATUSES.includes(response.status) && (await keptChat())) || response
    } catch (error) {
      const own = await keptChat()
      if (own) return own
      const any = await keptChatPath()
      // For a page that needs the server: the chat, which says so, is better than the browser's own error page.
      if (any && any !== chat) {
        const note = CHAT_PATH.test(chat) ? '' : NEEDS_NETWORK
        const path = conversation ? any.replace(/\/$/, '') + conversation : any + note
        return Response.redirect(scope.location.origin + path, 302)
      }
      throw error
    }
  }

  async function keptChatPath(): Promise<string | null> {
    for (const name of (await scope.caches.keys()).filter(each => each.startsWith(PREFIX)).reverse()) {
      const paths = (await (await scope.caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)
      const found = paths.find(path => CHAT_PATH.test(path))
      if (found) return found
    }
    return null
  }

  /** Requested anew without cookies, with its headers, because its policy contains the nonce of its scripts. */
  async function keepPage(path: string, language: string): Promise<void> {
    if (!CHAT_PATH.test(path)) return
    const cache = await scope.caches.open(CACHE_NAME)
    if (await cache.match(keyOf(path))) return
    const headers = { 'accept-language': language }
    const response = await scope.fetch(keyOf(path), { credentials: 'omit', cache: 'no-store', headers })
    if (response.status !== 200 || response.redirected) return
    const files = new Set((await response.clone().text()).match(HASHED_FILE) ?? [])
    if (files.size === 0) return
    // The page is only useful with everything it needs.
    await keepFiles([...files].map(file => scope.location.origin + file))
    await cache.put(keyOf(path), response)
  }

  /** What another app shares is appended after a `#`, because it is not for the server. */
  async function takeShared(request: Request): Promise<Response> {
    const form = await request.formData()
    const parts = ['title', 'text', 'url']
      .map(name => form.get(name))
      .filter(part => typeof part === 'string' && part)
    const path = (await keptChatPath()) ?? '/'
    return Response.redirect(
      `${scope.location.origin}${path}#share=${encodeURIComponent(parts.join('\n'))}`,
      303,
    )
  }
}
