import 'server-only'
import { z } from 'zod'
import { services } from '@/lib/composition'
import type { ExchangeReply } from '@/lib/exchange/engine/reply'
import {
  querySourceOf,
  readExchangeName,
  readIdempotencyKey,
  readLastEventId,
  readResumeKey,
} from '@/lib/exchange/engine/request-headers'
import type { Kinds } from '@/lib/exchange/kinds/kinds'
import { admitBody } from '@/lib/http/admit-body'
import { requireCredential } from '@/lib/http/credential'
import { handleApi } from '@/lib/http/handle-api'

/** The handler of a paid call's route, whatever its kind. */
export function paidCall(kindName: keyof Kinds) {
  return handleApi(async (request: Request) => {
    const { headers } = request
    const credential = requireCredential(headers)
    const idempotencyKey = readIdempotencyKey(headers)
    const resumeKey = readResumeKey(headers)
    const { exchanges, kinds, ledger, rateLimits, bodiesInFlight: inFlight } = await services()
    const kind = kinds[kindName]
    const lookUp = () => ledger.getBalance({ credential })
    const body = await admitBody(request, { ...kind.body, lookUp, inFlight })
    try {
      const reply = await exchanges.begin(kind, {
        credential,
        body: body.bytes,
        json: () => body.json(z.unknown()),
        contentType: headers.get('content-type'),
        idempotencyKey,
        resumeKey,
        // Only this site's own pages make a resume key.
        querySource: resumeKey === null ? querySourceOf(headers) : 'web',
        takeFree: accountId => rateLimits.take('free_answer', headers, accountId),
        signal: request.signal,
      })
      return replyResponse(reply)
    } finally {
      body.release()
    }
  })
}

interface NamedContext {
  params: Promise<{ id: string }>
}

/** The rest of an interrupted answer, from behind Last-Event-ID. */
export const resumePaidCall = handleApi<NamedContext>(async (request, { params }) => {
  const { headers, signal } = request
  const { exchanges } = await services()
  const reply = await exchanges.resume({
    credential: requireCredential(headers),
    name: readExchangeName((await params).id),
    resumeKey: readResumeKey(headers),
    lastEventId: readLastEventId(headers),
    signal,
  })
  return replyResponse(reply)
})

/** Stops a running answer and says what the delivered part cost. */
export const stopPaidCall = handleApi<NamedContext>(async ({ headers }, { params }) => {
  const { exchanges } = await services()
  const result = await exchanges.stop({
    credential: requireCredential(headers),
    name: readExchangeName((await params).id),
  })
  return Response.json(result, { headers: { 'cache-control': 'no-store' } })
})

function replyResponse({ status, headers, body }: ExchangeReply): Response {
  return new Response(body, { status, headers })
}
