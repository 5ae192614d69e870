import { isChatAddress } from '@/lib/i18n/chat-address'
import { languagePrefix } from '@/lib/i18n/locale-path'

export type Flow = 'chat' | 'payment' | 'pricing' | 'account'

/** Path fragments and their flows. */
const FLOW_BY_FRAGMENT: readonly (readonly [fragment: string, flow: Flow])[] = [
  ['/pricing', 'pricing'],
  ['/top-up', 'payment'],
  ['/account', 'account'],
]

/** The flow that a path without its language prefix belongs to; null if there is none. */
export function flowOfPath(path: string): Flow | null {
  if (isChatAddress(path)) return 'chat'
  return FLOW_BY_FRAGMENT.find(([fragment]) => path.includes(fragment))?.[1] ?? null
}

/** The flow of a path from the address bar, with or without its language. */
export function flowOfAddress(path: string): Flow | null {
  return flowOfPath(path.slice(languagePrefix(path).length))
}
