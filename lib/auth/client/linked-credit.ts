import { watchedFetch } from '@/lib/http/client/watched-fetch'
import type { AuthResult } from './auth-result'

/** The credit that is linked to the account, as our own route returns it. */
export interface LinkedCredit {
  creditId: string | null
  state: 'found' | 'none' | 'unreadable'
}

const ADDRESS = '/api/account/credit'
const TIMEOUT_MS = 10_000

/** The error `secondFactorNeeded` means: ask for the second factor, and then repeat the call. */
export function showLinkedCredit(): Promise<AuthResult<LinkedCredit>> {
  return call('GET')
}

/** @param replaces the linked credit to be replaced by this one; null if none is linked */
export function linkCredit(creditId: string, replaces: string | null): Promise<AuthResult<LinkedCredit>> {
  return call('POST', { credit_id: creditId, replaces })
}

/** @param creditId the linked credit as it was shown; null if it could not be opened */
export function unlinkCredit(creditId: string | null): Promise<AuthResult<LinkedCredit>> {
  return call('DELETE', { credit_id: creditId })
}

async function call(method: string, body?: object): Promise<AuthResult<LinkedCredit>> {
  try {
    const response = await watchedFetch(ADDRESS, {
      method,
      headers: body ? { 'content-type': 'application/json' } : {},
      body: body && JSON.stringify(body),
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return readAnswer(response.status, await response.json())
  } catch {
    return { data: null, error: 'unreachable' }
  }
}

function readAnswer(status: number, body: unknown): AuthResult<LinkedCredit> {
  const { credit_id: creditId, state, error } = Object(body)
  if (status === 200 && (state === 'found' || state === 'none' || state === 'unreadable')) {
    return { data: { creditId: typeof creditId === 'string' ? creditId : null, state }, error: null }
  }
  if (status === 403 && Object(error).reason === 'second_factor')
    return { data: null, error: 'secondFactorNeeded' }
  return { data: null, error: ERRORS_BY_STATUS[status] ?? 'unexpected' }
}

const ERRORS_BY_STATUS: Record<number, string> = {
  401: 'sessionEnded',
  404: 'notEnabled',
  409: 'busy',
  422: 'notFound',
  502: 'unreachable',
  504: 'unreachable',
}
