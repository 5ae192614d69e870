import { services } from '@/lib/composition'
import { cachedJson } from '@/lib/http/cached-json'
import { handleApi } from '@/lib/http/handle-api'
import { voicesResponse } from '@/lib/speech/domain/voice'

/** Public, like the models: what there is to hear is known before anybody asks for a credential. */
export const GET = handleApi(async request => {
  const { speech } = await services()
  return cachedJson(voicesResponse(await speech.listVoices()), request)
})
