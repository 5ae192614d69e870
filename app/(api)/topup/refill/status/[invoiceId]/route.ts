import { services } from '@/lib/composition'
import { ApiError } from '@/lib/http/api-error'
import { handlePaymentApi } from '@/lib/payments/server/handle-payment-api'
import { requireRefillAccount } from '@/lib/payments/server/refill-token'
import { invoiceStatusResponse } from '../../../invoice-response'

interface Context {
  params: Promise<{ invoiceId: string }>
}

/** An invoice of the account that the link pays into; its random id is known to whoever made it. */
export const GET = handlePaymentApi<Context>(async (request, { params }) => {
  const available = await services()
  const { accountId } = await requireRefillAccount(request, available)
  const invoice = await available.payments.getInvoice({ accountId, invoiceId: (await params).invoiceId })
  if (!invoice) throw new ApiError('not_found', 'There is no such invoice.')
  return Response.json(invoiceStatusResponse(invoice), { headers: { 'cache-control': 'no-store' } })
})
