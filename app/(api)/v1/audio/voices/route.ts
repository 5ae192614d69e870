import { services } from '@/lib/composition'
import { voicesResponse } from '@/lib/exchange/kinds/speech/voice'
import { cachedJson } from '@/lib/http/cached-json'
import { handleApi } from '@/lib/http/handle-api'

/** Public, like the models: what there is to hear is known before anybody asks for a credential. */
export const GET = handleApi(async request => {
  const { listVoices } = await services()
  return cachedJson(voicesResponse(await listVoices()), request)
})
