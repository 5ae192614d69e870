import useSWR from 'swr'
import { watchedFetch } from '@/lib/http/client/watched-fetch'
import { type ChatModel, parseModelList } from './chat-model'

const MODELS_PATH = '/v1/models?type=chat,image'
/** A slow network takes half of this for hundreds of models; after it, one that carries nothing is asked again. */
const TIMEOUT_MS = 60_000
const NONE: readonly ChatModel[] = []

export interface ModelsState {
  readonly models: readonly ChatModel[]
  readonly loading: boolean
  readonly failed: boolean
  readonly retry: () => void
}

/** A list that is at hand. */
export function loadedModels(models: readonly ChatModel[]): ModelsState {
  return { models, loading: false, failed: false, retry: () => {} }
}

export function useModels(): ModelsState {
  const { data, error, isLoading, mutate } = useSWR(MODELS_PATH, fetchModels, { revalidateOnFocus: false })
  return {
    models: data ?? NONE,
    loading: isLoading,
    failed: error !== undefined && data === undefined,
    retry: () => void mutate(),
  }
}

async function fetchModels(path: string): Promise<readonly ChatModel[]> {
  const response = await watchedFetch(path, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  const models = response.ok ? parseModelList(await response.json()) : []
  // None while the server has not reached its host yet. With an empty list the page would wait without a word.
  if (models.length === 0) throw new Error(`No models: ${response.status}`)
  return models
}
