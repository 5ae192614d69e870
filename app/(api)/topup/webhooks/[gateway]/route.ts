import { services } from '@/lib/composition'
import { ApiError } from '@/lib/http/api-error'
import { readBody } from '@/lib/http/read-body'
import { isGatewayId } from '@/lib/payments/domain/gateway'
import { handlePaymentApi } from '@/lib/payments/server/handle-payment-api'

/** Stripe's events carry whole objects; none comes near this. */
const WEBHOOK_BYTES_MAX = 512 * 1024

export const POST = handlePaymentApi<RouteContext<'/topup/webhooks/[gateway]'>>(
  async (request, { params }) => {
    const { gateway } = await params
    if (!isGatewayId(gateway)) throw absent()
    const { payments, bodiesInFlight } = await services()
    const rawBody = await readBody(request, WEBHOOK_BYTES_MAX, bodiesInFlight)
    const { outcome } = await payments.handleWebhook({
      gatewayId: gateway,
      rawBody,
      headers: request.headers,
    })
    if (outcome === 'absent') throw absent()
    if (outcome === 'refused')
      throw new ApiError('invalid_credential', 'The signature of this webhook does not verify.')
    return Response.json({ received: true })
  },
)

function absent(): ApiError {
  return new ApiError('not_found', 'This gateway is not configured here.')
}
