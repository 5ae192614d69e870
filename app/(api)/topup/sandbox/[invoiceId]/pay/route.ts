import { z } from 'zod'
import { services } from '@/lib/composition'
import { ApiError } from '@/lib/http/api-error'
import { readJson } from '@/lib/http/read-body'
import { handlePaymentApi } from '@/lib/payments/server/handle-payment-api'
import { positiveDecimal } from '../../../amount-schema'
import { invoiceStatusResponse } from '../../../invoice-response'

/** Enough to try over-payments with; a bound so that no sandbox balance becomes absurd. */
const FRACTION_MAX = 10n

const bodySchema = z.object({
  fraction: positiveDecimal
    .refine(
      ({ coefficient, scale }) => coefficient <= FRACTION_MAX * 10n ** BigInt(scale),
      'expected at most 10',
    )
    .default({ coefficient: 1n, scale: 0 }),
})

/** Whoever knows an invoice may pay it, as with a real one. */
export const POST = handlePaymentApi<RouteContext<'/topup/sandbox/[invoiceId]/pay'>>(
  async (request, { params }) => {
    const { payments } = await services()
    const { invoiceId } = await params
    const { fraction } = await readJson(request, bodySchema)
    const invoice = await payments.paySandboxInvoice({ invoiceId, fraction })
    if (!invoice) throw new ApiError('not_found', 'There is no such sandbox invoice.')
    return Response.json(invoiceStatusResponse(invoice), { headers: { 'cache-control': 'no-store' } })
  },
)
