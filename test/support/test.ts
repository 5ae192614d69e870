import { type APIRequestContext, type APIResponse, test as base, expect } from '@playwright/test'
import { API_SEGMENTS } from '@/lib/http/api-segments'
import type { Script } from '@/test/stand-ins/upstream-script'
import { balanceUsd, createAccount, holdCredit, type TestAccount } from './account'
import { createDocumentCheck } from './documented'
import { UPSTREAM_PORT } from './ports'

const UPSTREAM = `http://127.0.0.1:${UPSTREAM_PORT}`

/** The scripted upstream that the app under test talks to. */
export interface UpstreamControl {
  /** What it answers from now on; reset to the well-behaved script after the test. */
  setScript(script: Script): Promise<void>
  openGate(name: string): Promise<void>
  /** Resolves when an answer waits at that gate. */
  gateReached(name: string): Promise<void>
  requests(): Promise<{ method: string; path: string; body: unknown; abortedAt: number | null }[]>
}

interface Fixtures {
  upstream: UpstreamControl
  /** A page whose browser has a credit of one dollar. */
  funded: TestAccount
  balance: (account: TestAccount) => Promise<number>
  /** Compares an answer of the API with its document; anything undocumented fails the test at its end. */
  compare: (method: string, response: AnyResponse) => Promise<void>
  /**
   * The same as `request`, compared as well, for thousands of requests: the browser's own takes several times the work
   * for each.
   */
  send: Send
}

export type Send = (path: string, init?: RequestInit) => Promise<{ status: number; text: string }>

interface AnyResponse extends Pick<APIResponse, 'url' | 'status' | 'headers' | 'text'> {}

/** The document check of each server, by its address. */
const checks = new Map<string, Promise<ReturnType<typeof createDocumentCheck>>>()

async function loadCheck(request: APIRequestContext) {
  return createDocumentCheck(await (await request.get('/openapi.json')).json())
}

function isOfApi(address: string, baseUrl: string): boolean {
  const { origin, pathname } = new URL(address)
  const [, segment] = pathname.split('/')
  return origin === new URL(baseUrl).origin && API_SEGMENTS.some(each => each === segment)
}

const ASKING = ['get', 'post', 'put', 'patch', 'delete', 'head', 'fetch'] as const

export const test = base.extend<Fixtures>({
  compare: async ({ baseURL, playwright }, use) => {
    if (!baseURL) throw new Error('playwright.config.ts names no server.')
    const own = await playwright.request.newContext({ baseURL })
    const faults: string[] = []
    await use(async (method, response) => {
      if (!isOfApi(response.url(), baseURL)) return
      const { pathname } = new URL(response.url())
      const check = checks.get(baseURL) ?? loadCheck(own)
      checks.set(baseURL, check)
      const contentType = response.headers()['content-type'] ?? null
      // A page that has been left keeps no response bodies.
      const text = contentType?.startsWith('application/json')
        ? await response.text().catch(() => null)
        : null
      const status = response.status()
      const fault = (await check)({ method, pathname, status, contentType, text })
      if (fault) faults.push(fault)
    })
    await own.dispose()
    expect(faults).toEqual([])
  },
  request: async ({ request, compare }, use) => {
    const compared = new Proxy(request, {
      get(target, name) {
        const member = Reflect.get(target, name)
        const asking = ASKING.find(each => each === name)
        if (!asking) return typeof member === 'function' ? member.bind(target) : member
        return async (address: string, options?: { method?: string }) => {
          const response: APIResponse = await member.call(target, address, options)
          const method = asking === 'fetch' ? (options?.method ?? 'GET') : asking.toUpperCase()
          await compare(method, response)
          return response
        }
      },
    })
    await use(compared)
  },
  send: async ({ baseURL, compare }, use) => {
    await use(async (path, init) => {
      const response = await fetch(`${baseURL}${path}`, init)
      const { status, url } = response
      const text = await response.text()
      const headers = Object.fromEntries(response.headers)
      const given = { url: () => url, status: () => status, headers: () => headers, text: async () => text }
      await compare(init?.method ?? 'GET', given)
      return { status, text }
    })
  },
  context: async ({ baseURL, context, compare }, use) => {
    const comparing: Promise<void>[] = []
    // Finished ones only: the body of one that is cut off by leaving the page never arrives.
    context.on('requestfinished', request => {
      // Most are for the build's files: to ask for the answer to each is some of the work of opening a page.
      if (!baseURL || !isOfApi(request.url(), baseURL)) return
      // One that finishes while its page is being closed never resolves.
      const received = request.response().catch(() => null)
      comparing.push(
        received.then(response => response && compare(request.method(), response)).then(() => {}),
      )
    })
    await use(context)
    await Promise.all(comparing)
  },
  upstream: async ({ request }, use) => {
    const post = async (path: string, data: unknown = {}) => {
      const response = await request.post(`${UPSTREAM}${path}`, { data })
      if (!response.ok()) throw new Error(`stand-in upstream: ${response.status()} at ${path}`)
    }
    await request.delete(`${UPSTREAM}/__requests`)
    await use({
      setScript: script => post('/__script', script),
      openGate: name => post(`/__gates/${name}`),
      gateReached: async name => {
        await request.get(`${UPSTREAM}/__gates/${name}`)
      },
      requests: async () => (await request.get(`${UPSTREAM}/__requests`)).json(),
    })
    await post('/__script', {})
  },
  funded: async ({ page, request }, use) => {
    const account = await createAccount(request, 1)
    await holdCredit(page, account.creditId)
    await use(account)
  },
  balance: async ({ request }, use) => {
    await use(account => balanceUsd(request, account.creditId))
  },
})

export { expect }
