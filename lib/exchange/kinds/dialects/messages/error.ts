import { z } from 'zod'
import type { ApiError } from '@/lib/http/api-error'
import type { ApiErrorStatus } from '@/lib/http/domain/error-codes'

/** Anthropic's error types by status. */
const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  409: 'invalid_request_error',
  413: 'request_too_large',
  422: 'invalid_request_error',
  429: 'rate_limit_error',
  500: 'api_error',
  502: 'api_error',
  503: 'overloaded_error',
  504: 'timeout_error',
} satisfies Record<ApiErrorStatus, string>

/** An error in Anthropic's form, with the fields of our other errors besides its own. */
export const messagesErrorSchema = z
  .object({
    type: z.literal('error'),
    error: z.looseObject({
      type: z.string(),
      message: z.string(),
      code: z.string().describe('The error code, as in the rest of this API.'),
      param: z.string().nullable().describe('The field that is not valid.'),
      required_usd: z.number().optional().describe('With billing_error: the USD that the request needs.'),
      available_usd: z
        .number()
        .optional()
        .describe('With insufficient_credit and key_limit_reached: the USD that are available.'),
    }),
  })
  .meta({ id: 'MessagesError' })

export function messagesErrorBody(error: ApiError): z.output<typeof messagesErrorSchema> {
  const { code, param, details, status } = error
  const fields = { message: messageOf(error), code, param, ...details }
  return { type: 'error', error: { type: TYPES[status] ?? 'api_error', ...fields } }
}

/** Anthropic's own words, by which its clients recognise the error, shorten the conversation and try again. */
const TOO_LONG = 'prompt is too long'

function messageOf({ code, message }: ApiError): string {
  const isToldSo = code !== 'context_length_exceeded' || message.includes(TOO_LONG)
  return isToldSo ? message : `${TOO_LONG}: ${message}`
}
