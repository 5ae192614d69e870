import type { ChatModel } from './chat-model'

/** A model for tests; whatever they do not say of it is as plain as can be, and free. */
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
