import { routing } from '@/lib/i18n/routing'
import { type Flow, flowOfPath } from './flow'

const LANGUAGE = new RegExp(`^/(?:${routing.locales.join('|')})(?=/|$)`)

/** The flow of a path as it stands in the address bar, with or without its language. */
export function flowOfAddress(path: string): Flow | null {
  return flowOfPath(path.replace(LANGUAGE, ''))
}
