import { services } from '@/lib/composition'
import { requireAccount } from '@/lib/http/require-account'
import { handlePaymentApi } from '@/lib/payments/server/handle-payment-api'
import { createInvoice } from '../../create-invoice'

export const POST = handlePaymentApi<RouteContext<'/topup/create/[method]'>>(async (request, { params }) => {
  const { ledger, ...rest } = await services()
  const { accountId } = await requireAccount(request, ledger)
  return createInvoice(request, rest, { accountId, method: (await params).method })
})
