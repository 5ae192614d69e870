import type { z } from 'zod'
import type { Model } from '@/lib/catalogue/domain/model'
import { anthropicModelId } from '@/lib/exchange/kinds/dialects/messages/model-names'
import { invalidField } from '@/lib/http/api-error'
import type { anthropicModelListSchema, anthropicModelSchema } from './contracts/models'

interface Page {
  limit: number
  after_id?: string | undefined
  before_id?: string | undefined
}

/** Anthropic's own models come first, since Claude Code offers no others. @throws ApiError invalid_request */
export function anthropicList(
  models: readonly Model[],
  { limit, after_id: after, before_id: before }: Page,
): z.output<typeof anthropicModelListSchema> {
  const ids = new Set(models.map(({ id }) => id))
  const chats = models.flatMap(model => {
    const told = anthropicModel(model)
    // Another model already has this name as its id, and would answer to it.
    const isAnothers = told.id !== model.id && ids.has(told.id)
    return model.kind !== 'chat' || isAnothers ? [] : [told]
  })
  const listed = [...chats.filter(isClaude), ...chats.filter(model => !isClaude(model))]
  const start = after === undefined ? 0 : placeOf(listed, 'after_id', after) + 1
  const end = before === undefined ? listed.length : placeOf(listed, 'before_id', before)
  // A page before an id consists of the models just before it.
  const isBackward = before !== undefined && after === undefined
  const from = isBackward ? Math.max(start, end - limit) : start
  const data = listed.slice(from, Math.min(end, from + limit))
  return {
    data,
    has_more: isBackward ? from > start : from + data.length < end,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  }
}

export function anthropicModel(model: Model): z.output<typeof anthropicModelSchema> {
  return {
    type: 'model',
    id: anthropicModelId(model.id),
    display_name: model.name,
    created_at: `${new Date(model.createdAtSeconds * 1_000).toISOString().slice(0, -5)}Z`,
    max_input_tokens: model.contextLength,
    max_tokens: model.outputTokenCountMax,
  }
}

function isClaude({ id }: { id: string }): boolean {
  return id.startsWith('claude')
}

function placeOf(listed: readonly { id: string }[], param: string, id: string): number {
  const place = listed.findIndex(model => model.id === id)
  if (place >= 0) return place
  throw invalidField(param, 'expected the id of a model in the list')
}
