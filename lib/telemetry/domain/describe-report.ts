import type { CallOutcome } from '@/lib/http/domain/call-outcome'
import { statusReason } from './classify-error'
import { endpointOf } from './endpoint'

export type ReportLevel = 'error' | 'warning'

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

export function isFailedCall({ status }: CallOutcome): boolean {
  return status === null || status >= 400
}

/** `POST /keys/{id}: 500 Internal Server Error`, or the message from `fetch`. */
export function messageOfCall({ method, path, status, failure }: CallOutcome): string {
  const outcome = status === null ? (failure?.message ?? '') : `${status} ${statusReason(status)}`
  return `${method} ${endpointOf(path)}: ${outcome}`.trim()
}
