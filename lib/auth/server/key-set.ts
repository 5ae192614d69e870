import 'server-only'
import type { JWK } from '@supabase/supabase-js'
import { z } from 'zod'

/** The specification's 600000 ms: how long a fetched key set is believed. */
const KEY_SET_CACHE_MS = 600_000

/**
 * A key id that the cached set lacks may be a new key, so the set is fetched again, but no more often
 * than this: tokens with invented ids must not turn into requests to the auth service.
 */
const UNKNOWN_KEY_REFETCH_MS_MIN = 15_000

/** The key set is one small document; waiting longer would only hold up the page. */
const FETCH_TIMEOUT_MS = 3_000

/** A project has a handful of keys at most. */
const KEY_COUNT_MAX = 50

const keySetSchema = z.object({
  keys: z
    .array(
      z.looseObject({ kty: z.string(), kid: z.string(), key_ops: z.array(z.string()).default(['verify']) }),
    )
    .max(KEY_COUNT_MAX),
})

export type Fetch = typeof fetch

/** The auth service could not be asked for its keys; says nothing about the token. */
export class KeySetUnavailableError extends Error {
  override readonly name = 'KeySetUnavailableError'
}

/** The public keys of one auth service, fetched when needed and cached. One per process and service. */
export class KeySet {
  #keys: JWK[] = []
  #fetchedAtMs = Number.NEGATIVE_INFINITY
  #pending: Promise<void> | null = null

  constructor(
    readonly issuer: string,
    readonly fetch: Fetch = globalThis.fetch,
    readonly nowMs: () => number = Date.now,
  ) {}

  /**
   * The key of that id; null when the service has none. Right after a start several requests share one fetch.
   * @throws KeySetUnavailableError when it is not cached and the service does not answer
   */
  async find(keyId: string): Promise<JWK | null> {
    const ageMs = this.nowMs() - this.#fetchedAtMs
    const known = this.#keys.find(key => key.kid === keyId)
    // A negative age means that the clock was set back: what was fetched "later" is not believed.
    const fresh = ageMs >= 0 && ageMs < KEY_SET_CACHE_MS
    if (known && fresh) return known
    if (!known && ageMs >= 0 && ageMs < UNKNOWN_KEY_REFETCH_MS_MIN) return null
    await this.#refetch()
    return this.#keys.find(key => key.kid === keyId) ?? null
  }

  async #refetch(): Promise<void> {
    this.#pending ??= this.#load().finally(() => {
      this.#pending = null
    })
    await this.#pending
  }

  async #load(): Promise<void> {
    try {
      const response = await this.fetch(`${this.issuer}/.well-known/jwks.json`, {
        signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
        redirect: 'error',
        cache: 'no-store',
      })
      if (!response.ok) throw new Error(`status ${response.status}`)
      this.#keys = keySetSchema.parse(await response.json()).keys
      this.#fetchedAtMs = this.nowMs()
    } catch (cause) {
      throw new KeySetUnavailableError('The key set could not be fetched.', { cause })
    }
  }
}
