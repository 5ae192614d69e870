import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import { handleApi } from '@/lib/http/handle-api'
import { GatewayError } from '../domain/gateway'

type Handler<Context> = (request: Request, context: Context) => Promise<Response>

/** Wraps a route handler like `handleApi`; a gateway that cannot be asked is a 502, and worth a retry. */
export function handlePaymentApi<Context>(handler: Handler<Context>): Handler<Context> {
  return handleApi(async (request, context) => {
    try {
      return await handler(request, context)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      throw new ApiError(
        'payment_gateway_error',
        'The payment provider does not answer. Try again shortly.',
        {
          cause: error,
        },
      )
    }
  })
}
