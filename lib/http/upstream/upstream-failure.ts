import 'server-only'

/**
 * Why an upstream gave no answer. `refused`: another upstream may do better. `client_fault`: the request
 * itself is wrong and every upstream would say so; the status and the sentence are for the client.
 */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure'
  constructor(
    readonly kind: 'refused' | 'timeout' | 'client_fault',
    message: string,
    readonly detail: { status?: number; param?: string | null; cause?: unknown } = {},
  ) {
    super(message, { cause: detail.cause })
  }
}
