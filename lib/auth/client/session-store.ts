import { type AuthUser, toAuthUser } from '@/lib/auth/domain/auth-user'
import { authErrorKey } from '@/lib/auth/domain/error-key'
import {
  applySessionEvent,
  type InitialSession,
  initialSessionState,
  type SessionState,
} from '@/lib/auth/domain/session-state'
import type { AuthBrowserClient } from './browser-client'

/** @param onEnded called when the service has ended the session */
type OpenClient = (onEnded: () => void) => Promise<AuthBrowserClient>

/**
 * The session as components see it: an external store. It starts with what the server found, so that no other state
 * flashes up, and then follows the library's events, including those of other tabs. The library is loaded if there is a
 * session to maintain, or when somebody starts to sign in.
 */
export class SessionStore {
  readonly #listeners = new Set<() => void>()
  readonly #initial: SessionState
  readonly #hadSession: boolean
  readonly #open: OpenClient
  readonly #channelName: string | null
  #state: SessionState
  #client: Promise<AuthBrowserClient> | null = null
  /** Why the last session ended, until there is another one; without an error, the person wanted to leave. */
  #ending: { error: string | null } | null = null

  /** @param channelName the channel on which the library's tabs communicate: the session cookie's name */
  constructor(initial: InitialSession, open: OpenClient, channelName: string | null = null) {
    this.#initial = initialSessionState(initial)
    this.#state = this.#initial
    this.#hadSession = initial.status !== 'signed-out'
    this.#open = open
    this.#channelName = channelName
  }

  readonly getSnapshot = (): SessionState => this.#state

  readonly getServerSnapshot = (): SessionState => this.#initial

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /**
   * Maintains a session that the server found. Without one, nothing is loaded until another tab announces one.
   * @returns a function that stops listening
   */
  start(): () => void {
    if (this.#hadSession) void this.client().catch(error => this.#fail(error))
    else if (this.#channelName !== null && typeof BroadcastChannel !== 'undefined') {
      const channel = new BroadcastChannel(this.#channelName)
      channel.onmessage = ({ data }) => {
        if (Object(data).session) void this.client().catch(error => this.#fail(error))
      }
      return () => channel.close()
    }
    return () => {}
  }

  /** The library's client, loaded at the first call. A failed load can be retried. */
  client(): Promise<AuthBrowserClient> {
    this.#client ??= this.#connect().catch(error => {
      this.#client = null
      throw error
    })
    return this.#client
  }

  /**
   * Asks the service who is signed in, after changes that cause no event, such as a new factor or the end of a session.
   */
  async refreshUser(): Promise<void> {
    const before = this.#state.user?.id
    const { data, error } = await this.client()
      .then(client => client.getUser())
      .catch(caught => ({ data: { user: null }, error: caught }))
    // Somebody signed in or out while the request was in progress.
    if (data.user && this.#state.user?.id !== before) return
    if (data.user) this.#set({ user: toAuthUser(data.user), loading: false, error: null })
    else if (authErrorKey(error) === 'sessionEnded')
      this.#set({ user: null, loading: false, error: 'sessionEnded' })
    else if (error) this.#fail(error)
  }

  /** Ends the session in this browser; the reason, a key of `auth.errors`, stays on the page. */
  async refuse(error: string): Promise<void> {
    await this.signOut('local', error)
    this.#set({ user: null, loading: false, error })
  }

  /** Ends the session in this browser, or all of the person's sessions; other tabs follow. */
  async signOut(scope: 'local' | 'global', error: string | null = null): Promise<{ error: unknown }> {
    const client = await this.client()
    this.#ending = { error }
    const result = await client.signOut({ scope })
    // Not everywhere, because the service does not answer: the session goes on.
    if (this.#state.user) this.#ending = null
    return result
  }

  async #connect(): Promise<AuthBrowserClient> {
    const client = await this.#open(() => {
      this.#ending ??= { error: 'sessionEnded' }
      this.#set({ ...this.#state, user: null, loading: false })
    })
    client.onAuthStateChange((event, session) => {
      const user = session?.user ? toAuthUser(session.user) : null
      if (event === 'INITIAL_SESSION' && !user) void this.#settleWithoutSession(client)
      else this.#set(applySessionEvent(this.#state, event, user))
    })
    return client
  }

  /**
   * The library starts without a session if there is none, but also if it could not refresh an existing one. Only the
   * former means signed out.
   */
  async #settleWithoutSession(client: AuthBrowserClient): Promise<void> {
    const before = this.#state
    const { data, error } = await client.getSession()
    // Somebody signed in while the request was in progress, so its answer is outdated.
    if (this.#state !== before) return
    if (error) this.#fail(error)
    else this.#set({ user: this.#userOf(data.session), loading: false, error: null })
  }

  #userOf(session: { user: Parameters<typeof toAuthUser>[0] } | null): AuthUser | null {
    return session ? toAuthUser(session.user) : null
  }

  #fail(error: unknown): void {
    this.#set({ ...this.#state, loading: false, error: authErrorKey(error) })
  }

  #set(state: SessionState): void {
    if (state.user) this.#ending = null
    // Requests that were in progress when this page ended the session only report that it has ended.
    this.#state = { ...state, ...this.#ending }
    for (const listener of [...this.#listeners]) listener()
  }
}
