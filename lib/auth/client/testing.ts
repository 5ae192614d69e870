import { jest } from '@jest/globals'
import type { InitialSession } from '@/lib/auth/domain/session-state'
import { CookieJar, PUBLIC_KEY } from '@/lib/auth/testing'
import { AuthServer } from '@/test/stand-ins/auth-server'
import { createAuthBrowserClient } from './browser-client'
import { SessionStore } from './session-store'

/** A browser with several tabs, the stand-in behind it, and a clock controlled by the test. */
export class TestBrowser {
  server = new AuthServer()
  jar = new CookieJar()
  openCount = 0
  #stores: SessionStore[] = []
  #closeTabs: (() => void)[] = []

  start(): void {
    jest.useFakeTimers({
      now: Date.parse('2026-11-20T12:00:00Z'),
      doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'],
    })
    jest.spyOn(console, 'warn').mockImplementation(() => undefined)
    jest.spyOn(console, 'error').mockImplementation(() => undefined)
    this.server = new AuthServer()
    this.jar = new CookieJar()
    this.#stores = []
    this.openCount = 0
  }

  async stop(): Promise<void> {
    for (const close of this.#closeTabs.splice(0)) close()
    for (const store of this.#stores) await (await store.client()).stopAutoRefresh()
    jest.useRealTimers()
    jest.restoreAllMocks()
  }

  settings = () => ({
    url: this.server.state.options.url,
    publicKey: PUBLIC_KEY,
    cookieName: 'sb-auth-auth-token',
  })

  /** One tab: a session store on the browser's cookies. */
  openTab(initial: InitialSession, options: { jar?: CookieJar; fetch?: typeof fetch } = {}): SessionStore {
    const jar = options.jar ?? this.jar
    const open = async (onEnded: () => void) => {
      this.openCount += 1
      return createAuthBrowserClient(this.settings(), {
        secure: false,
        onEnded,
        cookies: { getAll: jar.getAll, setAll: jar.setAll },
        fetch: options.fetch ?? this.server.fetch,
      })
    }
    const store = new SessionStore(initial, open, this.settings().cookieName)
    this.#stores.push(store)
    this.#closeTabs.push(store.start())
    return store
  }

  /** Posts what the library posts to the other tabs of a browser. */
  async postFromAnotherTab(message: { event: string; session: object | null }): Promise<void> {
    const tab = new BroadcastChannel(this.settings().cookieName)
    tab.postMessage(message)
    await this.settle()
    tab.close()
  }

  /** Waits for the library's promises; nothing here waits for sockets. */
  async settle(): Promise<void> {
    for (let round = 0; round < 20; round += 1) await new Promise(resolve => setImmediate(resolve))
  }

  async passTime(ms: number): Promise<void> {
    await jest.advanceTimersByTimeAsync(ms)
    await this.settle()
  }

  refreshCount(): number {
    return this.server.callsTo('/token').filter(call => call.query.get('grant_type') === 'refresh_token')
      .length
  }
}
