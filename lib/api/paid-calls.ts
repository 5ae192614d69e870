import 'server-only'
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
import { requireCredential } from '@/lib/http/credential'
import { handleApi } from '@/lib/http/handle-api'
import { readBody } from '@/lib/http/read-body'

/** The handler of a paid call's route, whatever its kind. */
export function paidCall(kindName: keyof Kinds) {
  return handleApi(async (request: Request) => {
    const { exchanges, kinds } = await services()
    const kind = kinds[kindName]
    const { headers } = request
    const resumeKey = readResumeKey(headers)
    return replyResponse(
      await exchanges.begin(kind, {
        credential: requireCredential(headers),
        contentType: headers.get('content-type'),
        idempotencyKey: readIdempotencyKey(headers),
        resumeKey,
        // Only this site's own pages make a resume key.
        querySource: resumeKey === null ? querySourceOf(headers) : 'web',
        takeFree: async () => {},
        body: await readBody(request, kind.bodyBytesMax),
        signal: request.signal,
      }),
    )
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
