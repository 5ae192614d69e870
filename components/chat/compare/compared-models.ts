import { useMemo } from 'react'
import { lazyPart } from '@/components/ui/lazy-part'
import { COMPARED_COUNT_MIN } from '@/lib/local/domain/comparisons'
import { type ChatModel, isFree } from '../chat-model'

/** Arrives when somebody wants to compare; asked for here alone, as the comparison is in turn-group. */
export const LazyCompareOptions = lazyPart(
  async () => (await import('./compare-options')).CompareOptions,
  'with-error',
)

const NO_MODELS: readonly ChatModel[] = []

/** The models that a draft is for, where it is for several; those that are no longer offered are left out. */
export function useComparedModels(
  ids: readonly string[] | undefined,
  models: readonly ChatModel[],
): readonly ChatModel[] {
  return useMemo(() => {
    const found = ids?.flatMap(id => models.find(model => model.id === id) ?? []) ?? NO_MODELS
    return found.length < COMPARED_COUNT_MIN ? NO_MODELS : found
  }, [ids, models])
}

/**
 * Stands for all of them before they are asked: what each of them takes can be attached, what only some take
 * is sent to those.
 */
export function asOneModel(models: readonly ChatModel[]): ChatModel | null {
  const shown = models.find(model => !isFree(model)) ?? models[0]
  const windows = models.flatMap(({ windowTokens }) => windowTokens ?? [])
  return shown
    ? {
        ...shown,
        takesPictures: models.some(({ takesPictures }) => takesPictures),
        takesFiles: models.every(({ takesFiles }) => takesFiles),
        windowTokens: windows.length > 0 ? Math.min(...windows) : null,
      }
    : null
}
