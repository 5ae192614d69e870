import 'server-only'
import { ApiError } from './api-error'

type Handler<Context> = (request: Request, context: Context) => Promise<Response>

/**
 * Wraps a route handler: typed errors become their status and body, anything else a 500 that says
 * nothing of its cause to the caller.
 */
export function handleApi<Context>(handler: Handler<Context>): Handler<Context> {
  return async (request, context) => {
    try {
      return await handler(request, context)
    } catch (error) {
      return errorResponse(error)
    }
  }
}

export function errorResponse(error: unknown): Response {
  const apiError = error instanceof ApiError ? error : internalError(error)
  return Response.json(apiError.toBody(), {
    status: apiError.status,
    headers: { 'cache-control': 'no-store', ...apiError.headers },
  })
}

function internalError(cause: unknown): ApiError {
  // The message alone: a stack or a cause could carry a body or a header.
  process.stderr.write(
    `internal error: ${cause instanceof Error ? `${cause.name}: ${cause.message}` : 'unknown'}\n`,
  )
  return new ApiError(
    'internal_error',
    'Something went wrong on our side. Nothing was charged for this request.',
    { cause },
  )
}
