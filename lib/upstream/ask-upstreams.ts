import 'server-only'
import type { Model } from '@/lib/catalogue/domain/model'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { ApiError } from '@/lib/http/api-error'

/**
 * Why an upstream gave no answer. `refused`: another upstream may do better. `client_fault`: the request itself is
 * wrong for every upstream; the status and the message are for the client.
 */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure'
  /** The request was sent and may be billed, so no other upstream may be asked for the same. */
  readonly mayBill: boolean
  /** It may even have answered in full, where nobody read the end: then it bills all that was asked for. */
  readonly mayBillAll: boolean

  constructor(
    readonly kind: 'refused' | 'timeout' | 'client_fault',
    message: string,
    readonly detail: {
      status?: number
      param?: string | null
      cause?: unknown
      mayBill?: boolean
      mayBillAll?: boolean
      /** It bills the prompt, which it has read, and nothing else. */
      billsPrompt?: boolean
      /** The request exceeds the model's context window. */
      isTooLong?: boolean
      /** By the host's Retry-After. */
      retryAfterSeconds?: number
    } = {},
  ) {
    super(message, { cause: detail.cause })
    this.mayBillAll = detail.mayBillAll ?? false
    this.mayBill = detail.mayBill ?? (this.mayBillAll || detail.billsPrompt === true)
  }
}

/** The upstreams that have a model. @throws ApiError upstream_error */
export function upstreamsWith({ upstreamIds }: Model, upstreams: readonly UpstreamSettings[]) {
  const having = upstreams.filter(({ id }) => upstreamIds.includes(id))
  if (having.length > 0) return having
  throw new ApiError('upstream_error', 'No upstream has this model at the moment.')
}

/**
 * Asks one upstream after the other until one begins to answer. A fault of the request would be the same everywhere,
 * and after a failure that may be billed a second upstream would bill the same call again: either ends the search.
 * @throws UpstreamFailure the last one
 */
export async function askUpstreams<Answer>(
  upstreams: readonly UpstreamSettings[],
  ask: (upstream: UpstreamSettings) => Promise<Answer>,
): Promise<Answer> {
  let failure: UpstreamFailure | null = null
  for (const upstream of upstreams) {
    try {
      return await ask(upstream)
    } catch (error) {
      if (!(error instanceof UpstreamFailure) || error.kind === 'client_fault' || error.mayBill) throw error
      failure = error
    }
  }
  throw failure ?? new UpstreamFailure('refused', 'No upstream has this model at the moment.')
}
