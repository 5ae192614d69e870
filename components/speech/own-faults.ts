import type { CallErrorCode } from '@/lib/http/domain/error-codes'

/** Errors of a call whose general sentence advises another model: here, nobody has chosen one. */
export const MODEL_FAULTS = [
  'upstream_error',
  'upstream_timeout',
  'unprocessable',
  'model_not_found',
] as const satisfies readonly CallErrorCode[]

/** Whether the area has a sentence of its own for the error. */
export function isOwn<Code extends string>(faults: readonly Code[], code: string): code is Code {
  return faults.some(fault => fault === code)
}
