import type { Possible, TokenKind } from '../usage'
import type { Delivered } from './delivered'
import { type ChatPlan, type ChatTerms, inputTokenCountMax, outputTokenCountMaxOf, searchUnits } from './plan'

/** The most that a request makes possible, given what has been delivered; a report of more is not believed. */
export function possibleUsage(
  plan: ChatPlan,
  terms: ChatTerms,
  { promptCharacterCount, delivered }: { promptCharacterCount: number; delivered: Delivered },
): Possible {
  const { search } = terms
  const readTokenCountMax = plan.promptTokenCountMax + plan.audioTokenCountMax
  return {
    hasOutput: delivered.hasOutput,
    inputCharacterCount: promptCharacterCount,
    outputCharacterCount: delivered.characterCount,
    inputTokenCountMax: inputTokenCountMax(plan, readTokenCountMax, search),
    audioInputTokenCountMax: plan.audioTokenCountMax,
    mayCacheLong: plan.mayCacheLong,
    outputTokenCountMax: outputTokenCountMaxOf(plan, terms),
    imageCount: plan.imageCount,
    webSearchCountMax: searchUnits(plan, search),
    resultsPerSearch: search?.resultCount ?? 1,
    absentKinds: absentKinds(plan, delivered),
  }
}

/** What was delivered cannot be denied, even if nobody asked for it. */
function absentKinds(plan: ChatPlan, { hasPictures, hasSound }: Delivered): readonly TokenKind[] {
  const makes = (modality: string) => plan.outputModalities?.includes(modality) ?? true
  const isPresent: Record<TokenKind, boolean> = {
    longCacheWriteInputTokenCount: plan.mayCacheLong,
    audioInputTokenCount: plan.audioTokenCountMax > 0 || plan.hasHiddenSound,
    // Files have pictures in them.
    imageInputTokenCount: plan.imageCount > 0 || plan.hasFiles,
    audioOutputTokenCount: makes('audio') || hasSound,
    imageOutputTokenCount: makes('image') || hasPictures,
  }
  const kinds = Object.keys(isPresent) as TokenKind[]
  return kinds.filter(kind => !isPresent[kind])
}
