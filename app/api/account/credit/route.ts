import {
  deleteLinkedCredit,
  getLinkedCredit,
  type LinkedCreditServices,
  putLinkedCredit,
} from '@/lib/auth/server/linked-credit'
import { services } from '@/lib/composition'
import { parseCredential } from '@/lib/http/credential'
import { handleApi } from '@/lib/http/handle-api'

export const dynamic = 'force-dynamic'

type Verb = (request: Request, services: LinkedCreditServices) => Promise<Response>

/** Here, and only here, a session meets a credit; neither the ledger nor the chat knows of sessions. */
function answerWith(verb: Verb) {
  return handleApi(async request => {
    const { creditLinks, ledger } = await services()
    return verb(request, {
      links: creditLinks,
      isKnownCredit: async creditId => {
        const credential = parseCredential(creditId)
        return credential !== null && (await ledger.getBalance({ credential })) !== null
      },
    })
  })
}

export const GET = answerWith(getLinkedCredit)
export const POST = answerWith(putLinkedCredit)
export const DELETE = answerWith(deleteLinkedCredit)
