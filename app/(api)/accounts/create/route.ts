import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { services } from '@/lib/composition'
import { hashSecret } from '@/lib/http/credential'
import { isStorableText } from '@/lib/http/domain/storable-text'
import { handleApi } from '@/lib/http/handle-api'
import { newApiKey } from '@/lib/http/new-api-key'
import { readJson } from '@/lib/http/read-body'

/** Campaign names are short; anything longer is not one. */
const UTM_LENGTH_MAX = 200
const utm = z.string().max(UTM_LENGTH_MAX).refine(isStorableText, 'expected text without NUL').optional()

const bodySchema = z.object({
  attribution: z
    .object({ utm_source: utm, utm_medium: utm, utm_campaign: utm, utm_term: utm, utm_content: utm })
    .nullish(),
})

export const POST = handleApi(async request => {
  const { attribution } = await readJson(request, bodySchema)
  const { ledger, rateLimits } = await services()
  await rateLimits.take('account_creation', request.headers)
  const creditId = randomUUID()
  const key = newApiKey()
  await ledger.createAccount({
    creditIdHash: hashSecret(creditId),
    firstKey: { secretHash: key.secretHash, hint: key.hint },
    attribution: attribution ? definedOnly(attribution) : null,
  })
  return Response.json(
    { success: true, credit_id: creditId, api_key: key.secret, balance: 0 },
    { headers: { 'cache-control': 'no-store' } },
  )
})

function definedOnly(record: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
