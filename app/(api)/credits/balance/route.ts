import { z } from 'zod'
import { services } from '@/lib/composition'
import { ApiError } from '@/lib/http/api-error'
import { parseCredential, requireCredential } from '@/lib/http/credential'
import { handleApi } from '@/lib/http/handle-api'
import { readJson } from '@/lib/http/read-body'
import { nanoToUsdNumber } from '@/lib/money/nano'

/** Longer than any credential; a bound before it is looked at. */
const CREDENTIAL_LENGTH_MAX = 200

const bodySchema = z.object({ credit_id: z.string().max(CREDENTIAL_LENGTH_MAX).optional() })

export const POST = handleApi(async request => {
  const { credit_id: creditId } = await readJson(request, bodySchema)
  const credential =
    creditId === undefined ? requireCredential(request.headers) : requireCreditIdText(creditId)
  const { ledger, rateLimits } = await services()
  await rateLimits.take('balance_look_up', request.headers)
  const balance = await ledger.getBalance({ credential })
  if (!balance) throw new ApiError('invalid_credential', 'This credential is not known here.')
  const { balanceNano, debtNano } = balance
  return Response.json(
    {
      balance: nanoToUsdNumber(balanceNano),
      ...(debtNano > 0n && { debt_usd: nanoToUsdNumber(debtNano) }),
    },
    { headers: { 'cache-control': 'no-store' } },
  )
})

function requireCreditIdText(text: string) {
  const credential = parseCredential(text)
  if (credential?.kind === 'credit_id') return credential
  throw new ApiError('invalid_request', 'credit_id is not valid: expected a UUID.', { param: 'credit_id' })
}
