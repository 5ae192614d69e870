import { readResumeInput, readStopInput, replyResponse } from '@/lib/chat/server/completion-request'
import { services } from '@/lib/composition'
import { handleApi } from '@/lib/http/handle-api'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'
/** The longest that every plan of the usual serverless host allows, in seconds. */
export const maxDuration = 300

interface Context {
  params: Promise<{ id: string }>
}

/** The rest of an interrupted answer, from behind Last-Event-ID. */
export const GET = handleApi<Context>(async (request, { params }) => {
  const input = readResumeInput(request, (await params).id)
  const { exchanges } = await services()
  return replyResponse(await exchanges.resume(input))
})

/** Stops a running answer and says what the delivered part cost. */
export const DELETE = handleApi<Context>(async (request, { params }) => {
  const input = readStopInput(request, (await params).id)
  const { exchanges } = await services()
  return Response.json(await exchanges.stop(input), { headers: { 'cache-control': 'no-store' } })
})
