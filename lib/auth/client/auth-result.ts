import { authErrorKey } from '@/lib/auth/domain/error-key'

/** What every way in and every change answers: data, or the key of a sentence under `auth.errors`. */
export type AuthResult<Data> = { data: Data; error: null } | { data: null; error: string }

/** Our own server, or the auth service outside of the library, did not answer. */
export class ServiceUnreachableError extends Error {
  override readonly name = 'ServiceUnreachableError'
}

/** A proxy in front of our server hides the site's name, so that it refuses its own pages. */
export class HostRewrittenError extends Error {
  override readonly name = 'HostRewrittenError'
}

/**
 * Waits for the library's `{data, error}` and turns its errors, and whatever it or the load of its code
 * throws, into a key.
 */
export async function authResult<Data>(
  answer: Promise<{ data: Data; error: unknown }>,
): Promise<AuthResult<NonNullable<Data>>> {
  try {
    const { data, error } = await answer
    if (error) return { data: null, error: authErrorKey(error) }
    return data === null || data === undefined ? { data: null, error: 'unexpected' } : { data, error: null }
  } catch (error) {
    return { data: null, error: authErrorKey(error) }
  }
}
