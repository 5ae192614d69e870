import 'server-only'
import type { Catalogue, Model, ModelKind } from '@/lib/catalogue/domain/model'
import { ApiError } from '@/lib/http/api-error'

/** The model that a request names, if it is of the kind that its route serves. @throws ApiError model_not_found */
export async function findModel(
  catalogue: Catalogue,
  kind: ModelKind,
  modelId: string,
  param = 'model',
): Promise<Model> {
  const model = await catalogue.findModel(modelId)
  if (model?.kind === kind) return model
  const message = `There is no ${kind} model "${modelId}" here. GET /v1/models?type=${kind} lists the models.`
  throw new ApiError('model_not_found', message, { param })
}
