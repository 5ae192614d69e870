import { routing } from '@/lib/i18n/routing'

export type Flow = 'chat' | 'payment' | 'pricing' | 'account'

/** Path fragments and the flows that they name. */
const FLOW_BY_FRAGMENT: readonly (readonly [fragment: string, flow: Flow])[] = [
  ['/pricing', 'pricing'],
  ['/top-up', 'payment'],
  ['/account', 'account'],
]

/** The flow that a path belongs to, its language prefix removed; null for a path that names none. */
export function flowOfPath(path: string): Flow | null {
  if (path === '/' || path === '') return 'chat'
  return FLOW_BY_FRAGMENT.find(([fragment]) => path.includes(fragment))?.[1] ?? null
}

const LANGUAGE = new RegExp(`^/(?:${routing.locales.join('|')})(?=/|$)`)

/** The flow of a path as it stands in the address bar, with or without its language. */
export function flowOfAddress(path: string): Flow | null {
  return flowOfPath(path.replace(LANGUAGE, ''))
}
