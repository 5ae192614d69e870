import { respondWithModels } from '@/lib/catalogue/server/respond-with-models'
import { services } from '@/lib/composition'
import { handleApi } from '@/lib/http/handle-api'

/** Public: prices are known before anybody asks for a credential. */
export const GET = handleApi(async request => {
  const { catalogue } = await services()
  return respondWithModels(catalogue, request)
})
