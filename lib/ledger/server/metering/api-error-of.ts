import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import { UpstreamFailure } from '@/lib/http/upstream/upstream-failure'

/** What the caller hears when no upstream answered. A fault of the request keeps its status and its sentence. */
export function apiErrorOf(failure: unknown): ApiError {
  if (failure instanceof ApiError) return failure
  if (!(failure instanceof UpstreamFailure)) {
    return new ApiError(
      'internal_error',
      'Something went wrong on our side. Nothing was charged for this request.',
      {
        cause: failure,
      },
    )
  }
  switch (failure.kind) {
    case 'client_fault':
      return new ApiError('invalid_request', failure.message, {
        status: failure.detail.status,
        param: failure.detail.param ?? undefined,
      })
    case 'timeout':
      return new ApiError('upstream_timeout', 'The model did not answer in time. Nothing was charged.')
    case 'refused':
      return new ApiError('upstream_error', 'The model is not available at the moment. Nothing was charged.')
  }
}
