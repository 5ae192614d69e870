import 'server-only'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FlattenedJWSInput,
  type JWKSCacheInput,
  type JWTHeaderParameters,
  jwksCache,
} from 'jose'
import { InvalidTokenError } from '@/lib/auth/domain/token-claims'
import { readBoundedText } from '@/lib/http/fetch-json'
import { unlessAborted } from '@/lib/http/unless-aborted'

/** The specification's 600000 ms: how long a fetched key set is valid. */
const KEY_SET_CACHE_MS = 600_000

/**
 * A key id missing from the cached set may be a new key, so the set is fetched again, but no more often than this:
 * tokens with made-up ids must not turn into requests to the auth service.
 */
const UNKNOWN_KEY_REFETCH_MS_MIN = 15_000

/** The key set is one small document. Callers may give up earlier. */
const FETCH_TIMEOUT_MS = 3_000

/** A service that does not return its keys is not asked again for this long, since every page would wait for it. */
const FAILURE_REMEMBERED_MS = 10_000

/**
 * While the service cannot be asked, its last keys stay valid for this much longer: as long as a token usually lasts,
 * and without the service nobody gets a new one.
 */
const KEPT_WHILE_AWAY_MS = 3_600_000

/** A project has a handful of keys at most, of half a kilobyte each. */
const KEY_SET_BYTES_MAX = 64 * 1024

/** The auth service could not be asked for its keys, or returned no usable ones; this says nothing about the token. */
export class KeySetUnavailableError extends Error {
  override readonly name = 'KeySetUnavailableError'
}

/** What is known of a service's keys: plain data, so that several copies of this module can share it. */
export interface KeySetMemory {
  cache: JWKSCacheInput
  failedAtMs: number
}

export function createKeySetMemory(): KeySetMemory {
  return { cache: {}, failedAtMs: Number.NEGATIVE_INFINITY }
}

/** The public keys of one auth service, fetched when needed and cached. One per process and service. */
export class KeySet {
  readonly #remote: ReturnType<typeof createRemoteJWKSet>

  constructor(
    readonly issuer: string,
    fetchFrom: typeof fetch = globalThis.fetch,
    readonly memory: KeySetMemory = createKeySetMemory(),
  ) {
    this.#remote = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`), {
      cacheMaxAge: KEY_SET_CACHE_MS,
      cooldownDuration: UNKNOWN_KEY_REFETCH_MS_MIN,
      timeoutDuration: FETCH_TIMEOUT_MS,
      [jwksCache]: this.memory.cache,
      [customFetch]: async (url, init) => {
        const sinceFailureMs = Date.now() - this.memory.failedAtMs
        if (sinceFailureMs >= 0 && sinceFailureMs < FAILURE_REMEMBERED_MS) throw new Error('asked just now')
        try {
          const response = await fetchFrom(url, { ...init, cache: 'no-store' })
          const text = await readBoundedText(response, KEY_SET_BYTES_MAX)
          if (!response.ok) throw new Error(`status ${response.status}`)
          return new Response(text)
        } catch (cause) {
          this.memory.failedAtMs = Date.now()
          throw cause
        }
      },
    })
  }

  /**
   * The key named in a token's header. Right after a start several requests share one fetch.
   * @param signal stops the wait; the fetch continues for later callers
   * @throws InvalidTokenError unknown_key, or signature if the key of that id is of another type
   * @throws KeySetUnavailableError if no usable key is cached and the service does not return any
   */
  async find(header: JWTHeaderParameters, token: FlattenedJWSInput, signal?: AbortSignal) {
    try {
      // The clock was set back, so a fetch time in the future cannot be trusted.
      if ('uat' in this.memory.cache && this.memory.cache.uat > Date.now()) {
        await unlessAborted(this.#remote.reload(), signal)
      }
      return await unlessAborted(this.#remote(header, token), signal)
    } catch (cause) {
      if (cause instanceof errors.JWKSNoMatchingKey) {
        const isKnown = this.#remote.jwks()?.keys.some(key => key.kid === header.kid)
        throw new InvalidTokenError(isKnown ? 'signature' : 'unknown_key')
      }
      const kept = this.#keptKeys()
      if (kept) return kept(header, token).catch(unavailable)
      return unavailable(cause)
    }
  }

  #keptKeys() {
    const { cache } = this.memory
    if (!('uat' in cache)) return null
    const ageMs = Date.now() - cache.uat
    return ageMs >= 0 && ageMs < KEY_SET_CACHE_MS + KEPT_WHILE_AWAY_MS ? createLocalJWKSet(cache.jwks) : null
  }
}

function unavailable(cause: unknown): never {
  throw new KeySetUnavailableError('The key set could not be used.', { cause })
}
