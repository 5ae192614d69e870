import { readCompleteInput, replyResponse } from '@/lib/chat/server/completion-request'
import { services } from '@/lib/composition'
import { handleApi } from '@/lib/http/handle-api'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'
/** The longest that every plan of the usual serverless host allows, in seconds. */
export const maxDuration = 300

export const POST = handleApi(async request => {
  const input = await readCompleteInput(request)
  const { exchanges } = await services()
  return replyResponse(await exchanges.complete(input))
})
