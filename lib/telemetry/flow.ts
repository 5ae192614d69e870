export type Flow = 'chat' | 'payment' | 'pricing' | 'account'

/** Path fragments and the flows that they name (specification, section 2). */
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
