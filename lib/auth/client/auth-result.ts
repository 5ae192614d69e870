import { authErrorKey } from '@/lib/auth/domain/error-key'
import type { AuthBrowserClient } from './browser-client'
import type { SessionStore } from './session-store'

/** The result of every sign-in and every change: data, or the key of a message under `auth.errors`. */
export type AuthResult<Data> = { data: Data; error: null } | { data: null; error: string }

/** Our own server did not answer, or the auth service when asked without the library. */
export class ServiceUnreachableError extends Error {
  override readonly name = 'ServiceUnreachableError'
}

/** A proxy in front of our server hides the site's name, so that the server refuses its own pages. */
export class HostRewrittenError extends Error {
  override readonly name = 'HostRewrittenError'
}

/**
 * Awaits the library's `{data, error}` and turns its errors, and anything that it or loading its code throws, into a
 * key.
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

/** The same for one call of the library. */
export function askService<Data>(
  store: SessionStore,
  call: (client: AuthBrowserClient) => Promise<{ data: Data; error: unknown }>,
): Promise<AuthResult<NonNullable<Data>>> {
  return authResult(store.client().then(call))
}
