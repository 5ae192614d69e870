import 'server-only'
import type { Model } from '@/lib/catalogue/domain/model'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { ApiError } from '@/lib/http/api-error'

/**
 * Why an upstream gave no answer. `refused`: another upstream may do better. `client_fault`: the request
 * itself is wrong and every upstream would say so; the status and the sentence are for the client.
 */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure'
  /** The request had left, and nothing says that it costs nothing: no other upstream may be asked for the same. */
  readonly mayBill: boolean

  constructor(
    readonly kind: 'refused' | 'timeout' | 'client_fault',
    message: string,
    readonly detail: {
      status?: number
      param?: string | null
      cause?: unknown
      mayBill?: boolean
      /** The request is more than the model reads. */
      isTooLong?: boolean
      /** When the host wants to be asked again. */
      retryAfterSeconds?: number
    } = {},
  ) {
    super(message, { cause: detail.cause })
    this.mayBill = detail.mayBill ?? false
  }
}

/** Those that have a model. @throws ApiError upstream_error */
export function upstreamsWith({ upstreamIds }: Model, upstreams: readonly UpstreamSettings[]) {
  const having = upstreams.filter(({ id }) => upstreamIds.includes(id))
  if (having.length > 0) return having
  throw new ApiError('upstream_error', 'No upstream has this model at the moment.')
}

/**
 * Asks one upstream after the other until one begins to answer. A failure that blames the request would be
 * the same everywhere; after one that may cost, a second upstream would bill the same call again.
 * @throws UpstreamFailure of the last one that was asked
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
