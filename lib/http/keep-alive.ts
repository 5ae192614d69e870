import 'server-only'
import type { ServerSettings } from '@/lib/config/settings'
import { log } from '@/lib/observability/log'

/** For work that goes on after its request was answered. */
export type KeepAlive = (work: Promise<unknown>) => void

/** On Vercel a function is frozen once it has answered, unless it announces further work; undefined where nothing is. */
export async function chooseKeepAlive({
  onVercel,
}: Pick<ServerSettings, 'onVercel'>): Promise<KeepAlive | undefined> {
  if (!onVercel) return undefined
  const { after } = await import('next/server')
  return work => {
    try {
      after(() => work)
    } catch (error) {
      // Outside of a request, which is no reason to lose the work.
      log.warn('the platform could not be told of work after a response', { error })
    }
  }
}
