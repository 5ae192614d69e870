import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import { SANDBOX_MODELS } from '../domain/sandbox-models'

/** @throws ApiError model_not_found */
export function requireSandboxModel(id: string) {
  const model = SANDBOX_MODELS.find(each => each.id === id)
  if (!model) throw new ApiError('model_not_found', `The model ${id} does not exist.`, { param: 'model' })
  return model
}

/** @throws ApiError context_length_exceeded */
export function requireContext(model: { id: string; context_length: number }, tokenCount: number): void {
  if (tokenCount <= model.context_length) return
  throw new ApiError(
    'context_length_exceeded',
    `The maximum context length of ${model.id} is ${model.context_length} tokens, and the request has about ${tokenCount}.`,
  )
}
