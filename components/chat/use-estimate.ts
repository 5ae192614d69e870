import { useDeferredValue, useMemo } from 'react'
import { chooseContext } from '@/lib/exchange/client/context-window'
import { estimateMessage } from '@/lib/exchange/client/estimate-message'
import { estimatePicture } from '@/lib/exchange/client/picture-cost'
import type { Conversation, Message } from '@/lib/local/domain/conversation'
import { readMaxContextTokens } from '@/lib/local/max-context'
import type { Nano } from '@/lib/money/nano'
import type { ChatModel } from './chat-model'
import { documentPart } from './draft-document'
import type { Draft } from './draft-store'

/** What sending the draft now would cost, with an everyday answer or one picture; null while no model is known. */
export function useEstimate(
  model: ChatModel | null,
  conversation: Conversation | null,
  draft: Draft,
): Nano | null {
  const { text, pictureUrls, documents } = useDeferredValue(draft)
  const messages = conversation?.messages
  return useMemo(() => {
    if (!model) return null
    if (model.draws) return estimatePicture(model.prices)
    const question: Message = {
      role: 'user',
      content: [
        { type: 'text', text },
        ...pictureUrls.map(url => ({ type: 'image_url' as const, image_url: { url, created_at: '' } })),
        ...documents.map(document => documentPart(document, '', model.takesFiles)),
      ],
    }
    const context = chooseContext([...(messages ?? []), question], readMaxContextTokens())
    return estimateMessage(model.prices, context)
  }, [model, messages, text, pictureUrls, documents])
}
