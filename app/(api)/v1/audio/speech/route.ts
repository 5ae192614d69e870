import { services } from '@/lib/composition'
import { handleApi } from '@/lib/http/handle-api'
import { meteredResponse, readSpeakInput } from '@/lib/speech/server/speech-request'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'
/** The longest that every plan of the usual serverless host allows, in seconds. */
export const maxDuration = 300

export const POST = handleApi(async request => {
  const input = await readSpeakInput(request)
  const { speech } = await services()
  return meteredResponse(await speech.speak(input))
})
