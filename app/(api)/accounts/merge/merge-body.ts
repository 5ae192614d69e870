import { z } from 'zod'
import { parseCredential } from '@/lib/http/credential'
import type { Credential } from '@/lib/ledger/domain/accounts'

/** What the balance is moved from, and the field that named it. */
export interface MergeBody {
  param: 'from_credit_id' | 'from_api_key'
  from: Credential
}

/** Either of the two; the secret itself goes no further than this. */
export const mergeBodySchema = z
  .object({
    from_credit_id: secretOf('credit_id', 'expected a credit_id').optional(),
    from_api_key: secretOf('api_key', 'expected an API key').optional(),
  })
  .transform(({ from_credit_id, from_api_key }, context): MergeBody => {
    if (from_credit_id && !from_api_key) return { param: 'from_credit_id', from: from_credit_id }
    if (from_api_key && !from_credit_id) return { param: 'from_api_key', from: from_api_key }
    const message = 'expected either this or from_api_key'
    context.addIssue({ code: 'custom', path: ['from_credit_id'], message })
    return z.NEVER
  })

function secretOf(kind: Credential['kind'], message: string) {
  return z.string().transform((text, context): Credential => {
    const credential = parseCredential(text)
    if (credential?.kind === kind) return credential
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
}
