import { respondWithModel } from '@/lib/catalogue/server/respond-with-models'
import { services } from '@/lib/composition'
import { handleApi } from '@/lib/http/handle-api'

interface Context {
  params: Promise<{ modelId: string[] }>
}

export const GET = handleApi(async (request: Request, { params }: Context) => {
  const { catalogue } = await services()
  const { modelId } = await params
  return respondWithModel(catalogue, request, modelId)
})
