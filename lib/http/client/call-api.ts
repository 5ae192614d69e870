import type { CallErrorCode } from '../domain/error-codes'
import { fieldsOf } from '../domain/is-object'
import { watchedFetch } from './watched-fetch'

export class ApiCallError extends Error {
  override readonly name = 'ApiCallError'
  readonly code: CallErrorCode

  constructor(code: CallErrorCode, options?: ErrorOptions) {
    super(code, options)
    this.code = code
  }
}

export function errorCodeOf(thrown: unknown): CallErrorCode {
  return thrown instanceof ApiCallError ? thrown.code : 'unknown'
}

/** What a fetch has failed with, as `useSWR` keeps it; null if it has not. */
export function fetchErrorCode(error: unknown): CallErrorCode | null {
  return error === undefined ? null : errorCodeOf(error)
}

/** Long enough for a gateway to make an invoice; after this the person gets an error instead of waiting longer. */
const TIMEOUT_MS = 20_000

/** With these a proxy says, on a page of its own, that it has not reached the server. */
export const AWAY_STATUSES = [502, 503, 504]

export interface ApiCall {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  /** A credit_id, API key or refill token: sent in a header, so that it is never part of an address. */
  bearer?: string
  body?: unknown
}

/** Calls this site's own API; an answer that is an error is thrown. @throws ApiCallError */
export async function callApi({ method, path, bearer, body }: ApiCall): Promise<Response> {
  const response = await send(path, {
    method,
    headers: {
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    cache: 'no-store',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (response.ok) return response
  const unnamed = AWAY_STATUSES.includes(response.status) ? 'network' : 'unknown'
  throw new ApiCallError(readErrorCode(await readJson(response)) ?? unnamed)
}

/** Null if the answer is not the API's. A newer server's code, which is not listed, gets the general sentence. */
export function readErrorCode(answer: unknown): CallErrorCode | null {
  return textOf(fieldsOf(answer).error, 'code') as CallErrorCode | null
}

/** Null when the answer is no JSON. @throws ApiCallError */
export async function callApiForJson(call: ApiCall): Promise<unknown> {
  return readJson(await callApi(call))
}

/**
 * The answer as its contract types it: this site's own server is believed, once it has told one field of it.
 * @throws ApiCallError
 */
export async function callApiFor<Answer extends object>(
  field: keyof Answer & string,
  call: ApiCall,
): Promise<Answer> {
  const answer = await callApiForJson(call)
  if (fieldsOf(answer)[field] == null) throw new ApiCallError('unknown')
  return answer as Answer
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await watchedFetch(path, init)
  } catch (cause) {
    throw new ApiCallError('network', { cause })
  }
}

async function readJson(response: Response): Promise<unknown> {
  return response.json().catch(() => null)
}

/** Answers are read field by field: what a newer or broken server sends must not break the page. */
export function textOf(value: unknown, name: string): string | null {
  const text = fieldsOf(value)[name]
  return typeof text === 'string' ? text : null
}

export function numberOf(value: unknown, name: string): number | null {
  const number = fieldsOf(value)[name]
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}
