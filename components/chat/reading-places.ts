import { createListeners } from '@/lib/local/storage/external-store'
import { messageSelector } from './turn-versions'

/** Where somebody reads. */
export interface ReadingPlace {
  /** Of the first message that is seen. */
  readonly messageId: string
  /** How far below the upper edge it begins, in pixels; what begins above it, less than none. */
  readonly top: number
}

/** Of the conversations that this tab has shown, but for those that were left at their end. */
const places = new Map<string, ReadingPlace>()

export const readingPlaceOf = (conversationId: string): ReadingPlace | null =>
  places.get(conversationId) ?? null

/** Called while there is a place still, in a page that is about to be left. */
export const { subscribe: onKeepPlaces, notify: keepAllReadingPlaces } = createListeners()

/** Null is the end. */
export function keepReadingPlace(conversationId: string, place: ReadingPlace | null): void {
  if (place) places.set(conversationId, place)
  else places.delete(conversationId)
}

/** What stands side by side is no turn that could be found again; the question above it is. */
const TURNS = '[data-message]:not([data-stays-in-view] *, [data-turns][inert] *)'

/** Null where nothing is seen that could be found again. */
export function readPlace(scroller: HTMLElement): ReadingPlace | null {
  const edge = scroller.getBoundingClientRect().top
  // Those in a group that is far from view would be laid out for being asked.
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
