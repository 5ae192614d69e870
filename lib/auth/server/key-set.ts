import 'server-only'
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWKSCacheInput,
  type JWTVerifyGetKey,
  jwksCache,
} from 'jose'
import { InvalidTokenError } from '@/lib/auth/domain/token-claims'
import { readBoundedText } from '@/lib/http/fetch-json'

/** The specification's 600000 ms: how long a fetched key set is believed. */
const KEY_SET_CACHE_MS = 600_000

/**
 * A key id that the cached set lacks may be a new key, so the set is fetched again, but no more often
 * than this: tokens with invented ids must not turn into requests to the auth service.
 */
const UNKNOWN_KEY_REFETCH_MS_MIN = 15_000

/** The key set is one small document; waiting longer would only hold up the page. */
const FETCH_TIMEOUT_MS = 3_000

/** A project has a handful of keys at most, of half a kilobyte each. */
const KEY_SET_BYTES_MAX = 64 * 1024

/** The auth service could not be asked for its keys, or tells none that can be used; says nothing about the token. */
export class KeySetUnavailableError extends Error {
  override readonly name = 'KeySetUnavailableError'
}

/** The public keys of one auth service, fetched when needed and cached. One per process and service. */
export class KeySet {
  readonly #cache: JWKSCacheInput = {}
  readonly #remote: ReturnType<typeof createRemoteJWKSet>

  constructor(
    readonly issuer: string,
    fetchFrom: typeof fetch = globalThis.fetch,
  ) {
    this.#remote = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`), {
      cacheMaxAge: KEY_SET_CACHE_MS,
      cooldownDuration: UNKNOWN_KEY_REFETCH_MS_MIN,
      timeoutDuration: FETCH_TIMEOUT_MS,
      [jwksCache]: this.#cache,
      [customFetch]: async (url, init) => {
        const response = await fetchFrom(url, { ...init, cache: 'no-store' })
        const text = await readBoundedText(response, KEY_SET_BYTES_MAX)
        return new Response(response.ok ? text : null, { status: response.status })
      },
    })
  }

  /**
   * The key that a token's header names. Right after a start several requests share one fetch.
   * @throws InvalidTokenError unknown_key, or signature when the key of that id is of another kind
   * @throws KeySetUnavailableError when no usable key is cached and the service does not tell any
   */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    try {
      // The clock was set back: what was fetched "later" is not believed.
      if ('uat' in this.#cache && this.#cache.uat > Date.now()) await this.#remote.reload()
      return await this.#remote(header, token)
    } catch (cause) {
      if (!(cause instanceof errors.JWKSNoMatchingKey)) {
        throw new KeySetUnavailableError('The key set could not be used.', { cause })
      }
      const isKnown = this.#remote.jwks()?.keys.some(key => key.kid === header.kid)
      throw new InvalidTokenError(isKnown ? 'signature' : 'unknown_key')
    }
  }
}
