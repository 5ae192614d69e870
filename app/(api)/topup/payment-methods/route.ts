import { services } from '@/lib/composition'
import { handlePaymentApi } from '@/lib/payments/server/handle-payment-api'
import { methodResponse } from './method-response'

export const GET = handlePaymentApi(async () => {
  const { payments } = await services()
  const offers = await payments.listMethods()
  return Response.json(
    { supported_methods: offers.map(methodResponse) },
    { headers: { 'cache-control': 'no-store' } },
  )
})
