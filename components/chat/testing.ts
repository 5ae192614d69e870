import { jest } from '@jest/globals'
import type { ChatModel } from './chat-model'
import type { TurnActions } from './turn-actions'

/** A model for tests: plain and free except for the given fields. */
export function chatModel(own: Partial<ChatModel>): ChatModel {
  const { id = 'm', name = 'M', prices = { prompt: '0', completion: '0' } } = own
  return {
    id,
    name,
    prices,
    takesPictures: false,
    takesFiles: false,
    draws: false,
    windowTokens: null,
    controls: { temperature: true, outputTokensMax: null, efforts: [] },
    listed: { id, name, pricing: prices },
    ...own,
  }
}

/** The actions of a turn, none of which does anything but those that a test gives. */
export function turnActions(own: Partial<TurnActions>): TurnActions {
  return {
    conversationId: 'c',
    model: chatModel({}),
    models: [],
    priceAgain: () => null,
    answerAgain() {},
    mostRest: () => null,
    continueAnswer() {},
    priceEdited: () => null,
    askEdited() {},
    ask() {},
    ...own,
  }
}

// Its place is in the bar, which is not rendered.
const InBar = ({ children }: { children: unknown }) => children

/** Replaces what the chat needs of the page around it. Call it before the chat is imported. */
export function mockPage(): void {
  jest.unstable_mockModule('@/lib/i18n/navigation', () => ({ usePathname: () => '/', Link: 'a' }))
  jest.unstable_mockModule('next/navigation', () => ({
    useRouter: () => ({}),
    usePathname: () => '/',
    useSelectedLayoutSegment: () => null,
  }))
  jest.unstable_mockModule('@/components/shell/bar', () => ({ InBar }))
}
