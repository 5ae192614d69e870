import { services } from '@/lib/composition'
import { ApiError } from '@/lib/http/api-error'
import { requireAccount } from '@/lib/http/require-account'
import { handlePaymentApi } from '@/lib/payments/server/handle-payment-api'
import { invoiceStatusResponse } from '../../invoice-response'

export const GET = handlePaymentApi<RouteContext<'/topup/status/[invoiceId]'>>(
  async (request, { params }) => {
    const { payments, ledger } = await services()
    const { accountId } = await requireAccount(request, ledger)
    const { invoiceId } = await params
    const invoice = await payments.getInvoice({ accountId, invoiceId })
    // The same for an unknown one and for somebody else's.
    if (!invoice) throw new ApiError('not_found', 'There is no such invoice.')
    return Response.json(invoiceStatusResponse(invoice), { headers: { 'cache-control': 'no-store' } })
  },
)
