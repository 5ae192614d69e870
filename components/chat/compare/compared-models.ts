import { useMemo } from 'react'
import { lazyPart } from '@/components/ui/lazy-part'
import { COMPARED_COUNT_MIN } from '@/lib/local/domain/comparisons'
import { type ChatModel, isFree } from '../chat-model'

/**
 * Loaded when the person wants to compare. Other components must use this export rather than import the file
 * themselves; turn-group.tsx explains why.
 */
export const LazyCompareOptions = lazyPart(
  async () => (await import('./compare-options')).CompareOptions,
  'with-error',
)

const NO_MODELS: readonly ChatModel[] = []

/** The models that a draft is for, if there are several. Models that are no longer offered are left out. */
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
 * A stand-in for all compared models before they are asked. What any of them accepts can be attached; it is sent to
 * those that accept it.
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
