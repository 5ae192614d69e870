import type { ChatModel } from './chat-model'

/** A model for tests: plain and free except for the given fields. */
export function chatModel(own: Partial<ChatModel>): ChatModel {
  return {
    id: 'm',
    name: 'M',
    takesPictures: false,
    takesFiles: false,
    draws: false,
    windowTokens: null,
    controls: { temperature: true, outputTokensMax: null, efforts: [] },
    prices: { prompt: '0', completion: '0' },
    ...own,
  }
}
