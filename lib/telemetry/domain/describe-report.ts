import { statusReason } from './classify-error'
import { endpointOf } from './endpoint'

export type ReportLevel = 'error' | 'warning'

/** A call to the API as seen by its hooks: a response with a status, or a failure without one. */
export interface ObservedCall {
  method: string
  /** As it was requested; only its shape is sent. */
  path: string
  status: number | null
  /** Name and message of what `fetch` threw; null for a response. */
  failure: { name: string; message: string } | null
}

/** Status 500 and above is an error, 400 to 499 a warning; no status is an error. */
export function levelOf(status: number | null): ReportLevel {
  return status !== null && status >= 400 && status < 500 ? 'warning' : 'error'
}

/** A missing tag is left out, because reports are also searched by the presence of a tag. */
export function tagsOf(input: {
  flow: string | null
  endpoint: string | null
  status: number | null
}): Record<string, string> {
  return {
    ...(input.flow === null ? {} : { flow: input.flow }),
    ...(input.endpoint === null ? {} : { endpoint: input.endpoint }),
    ...(input.status === null ? {} : { status: String(input.status) }),
  }
}

export function isFailedCall({ status }: ObservedCall): boolean {
  return status === null || status >= 400
}

/** `POST /keys/{id}: 500 Internal Server Error`, or the message from `fetch`. */
export function messageOfCall({ method, path, status, failure }: ObservedCall): string {
  const outcome = status === null ? (failure?.message ?? '') : `${status} ${statusReason(status)}`
  return `${method} ${endpointOf(path)}: ${outcome}`.trim()
}
