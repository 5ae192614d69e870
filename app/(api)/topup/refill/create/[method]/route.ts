import { services } from '@/lib/composition'
import { handlePaymentApi } from '@/lib/payments/server/handle-payment-api'
import { requireRefillAccount } from '@/lib/payments/server/refill-token'
import { createInvoice } from '../../../create-invoice'

interface Context {
  params: Promise<{ method: string }>
}

/** Like `/topup/create/{method}`, for whoever holds the account's refill link. */
export const POST = handlePaymentApi<Context>(async (request, { params }) => {
  const available = await services()
  const { accountId } = await requireRefillAccount(request, available)
  return createInvoice(request, available, {
    accountId,
    method: (await params).method,
    returnPath: '/refill',
  })
})
