import useSWR from 'swr'
import { watchedFetch } from '@/lib/http/client/watched-fetch'
import { type ChatModel, parseModelList } from './chat-model'

const MODELS_PATH = '/v1/models?type=chat,image'
const NONE: readonly ChatModel[] = []

export interface ModelsState {
  readonly models: readonly ChatModel[]
  readonly loading: boolean
  readonly failed: boolean
  readonly retry: () => void
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
  const response = await watchedFetch(path)
  if (!response.ok) throw new Error(`The list of models answered ${response.status}`)
  return parseModelList(await response.json())
}
