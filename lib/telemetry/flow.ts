import { isChatAddress } from '@/lib/i18n/chat-address'
import { languagePrefix } from '@/lib/i18n/locale-path'

export type Flow = 'chat' | 'payment' | 'pricing' | 'account'

/** Path fragments and the flows that they name. */
const FLOW_BY_FRAGMENT: readonly (readonly [fragment: string, flow: Flow])[] = [
  ['/pricing', 'pricing'],
  ['/top-up', 'payment'],
  ['/account', 'account'],
]

/** The flow that a path belongs to, its language prefix removed; null for a path that names none. */
export function flowOfPath(path: string): Flow | null {
  if (isChatAddress(path)) return 'chat'
  return FLOW_BY_FRAGMENT.find(([fragment]) => path.includes(fragment))?.[1] ?? null
}

/** The flow of a path as it stands in the address bar, with or without its language. */
export function flowOfAddress(path: string): Flow | null {
  return flowOfPath(path.slice(languagePrefix(path).length))
}
