import { createListeners } from '@/lib/local/storage/external-store'
import { messageSelector } from './turn-versions'

/** A scroll position in a conversation. */
export interface ReadingPlace {
  /** The first visible message. */
  readonly messageId: string
  /** How far below the upper edge it begins, in pixels; negative if above. */
  readonly top: number
}

/** The positions in conversations that this tab has shown, except those that were left at their end. */
const places = new Map<string, ReadingPlace>()

export const readingPlaceOf = (conversationId: string): ReadingPlace | null =>
  places.get(conversationId) ?? null

/** Notified before a page is left, while positions can still be read. */
export const { subscribe: onKeepPlaces, notify: keepAllReadingPlaces } = createListeners()

/** Null means the end. */
export function keepReadingPlace(conversationId: string, place: ReadingPlace | null): void {
  if (place) places.set(conversationId, place)
  else places.delete(conversationId)
}

/** Answers side by side cannot be found again by id, so the question above them is used. */
const TURNS = '[data-message]:not([data-stays-in-view] *, [data-turns][inert] *)'

/** Null if no visible message could be found again. */
export function readPlace(scroller: HTMLElement): ReadingPlace | null {
  const edge = scroller.getBoundingClientRect().top
  // Measuring messages in a group far from view would force its layout.
  const groups = [...scroller.querySelectorAll('[data-turns]')]
  const group = groups.find(one => one.getBoundingClientRect().bottom > edge)
  const messages = [...(group?.querySelectorAll<HTMLElement>(TURNS) ?? [])]
  const seen = messages.find(one => one.getBoundingClientRect().bottom > edge) ?? messages.at(-1)
  const message = seen ?? [...scroller.querySelectorAll<HTMLElement>(TURNS)].at(-1)
  const messageId = message?.dataset.message
  if (!message || messageId === undefined) return null
  return { messageId, top: message.getBoundingClientRect().top - edge }
}

export function showPlace(scroller: HTMLElement, { messageId, top }: ReadingPlace): void {
  const message = scroller.querySelector(messageSelector(messageId))
  if (!message) return
  scroller.scrollTop += message.getBoundingClientRect().top - scroller.getBoundingClientRect().top - top
}
