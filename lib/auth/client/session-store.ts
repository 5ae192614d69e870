import { type AuthUser, toAuthUser } from '@/lib/auth/domain/auth-user'
import { authErrorKey } from '@/lib/auth/domain/error-key'
import {
  applySessionEvent,
  type InitialSession,
  initialSessionState,
  type SessionState,
} from '@/lib/auth/domain/session-state'
import type { AuthBrowserClient } from './browser-client'

/**
 * The session as components see it, an external store. It starts with what the server found, so there
 * is no flash of another state, and follows the library's events from then on, other tabs' included.
 * The library is loaded when there is a session to look after, or when somebody begins to sign in.
 */
export class SessionStore {
  readonly #listeners = new Set<() => void>()
  readonly #initial: SessionState
  readonly #hadSession: boolean
  readonly #open: () => Promise<AuthBrowserClient>
  readonly #channelName: string | null
  #state: SessionState
  #client: Promise<AuthBrowserClient> | null = null

  /** @param channelName where the library's tabs talk to each other: the session cookie's name */
  constructor(
    initial: InitialSession,
    open: () => Promise<AuthBrowserClient>,
    channelName: string | null = null,
  ) {
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
   * Looks after a session that the server saw. Without one nothing is loaded until another tab tells of one.
   * @returns stops listening for it
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

  /** The library's client, loaded at the first call. A failed load may be tried again. */
  client(): Promise<AuthBrowserClient> {
    this.#client ??= this.#connect().catch(error => {
      this.#client = null
      throw error
    })
    return this.#client
  }

  /** Asks the service who is signed in: for changes that no event tells of, such as a new factor or a session's end. */
  async refreshUser(): Promise<void> {
    const { data, error } = await this.client()
      .then(client => client.getUser())
      .catch(caught => ({ data: { user: null }, error: caught }))
    if (data.user) this.#set({ user: toAuthUser(data.user), loading: false, error: null })
    else if (authErrorKey(error) === 'sessionEnded')
      this.#set({ user: null, loading: false, error: 'sessionEnded' })
    else if (error) this.#fail(error)
  }

  /** Ends a session in this browser, for a reason that stays on the page: a key of `auth.errors`. */
  async refuse(error: string): Promise<void> {
    await (await this.client()).signOut({ scope: 'local' })
    this.#set({ user: null, loading: false, error })
  }

  async #connect(): Promise<AuthBrowserClient> {
    const client = await this.#open()
    client.onAuthStateChange((event, session) => {
      const user = session?.user ? toAuthUser(session.user) : null
      if (event === 'INITIAL_SESSION' && !user) void this.#settleWithoutSession(client)
      else this.#set(applySessionEvent(this.#state, event, user))
    })
    return client
  }

  /**
   * The library starts without a session when there is none, and also when it could not refresh one that
   * is still there. Only the first is being signed out.
   */
  async #settleWithoutSession(client: AuthBrowserClient): Promise<void> {
    const before = this.#state
    const { data, error } = await client.getSession()
    // Somebody signed in while the question was under way: its answer is old.
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
    this.#state = state
    for (const listener of [...this.#listeners]) listener()
  }
}
