import { useCallback, useEffect, useState } from 'react'
import { startMigrations } from '@/lib/local/migrations/start-migrations'

export type MigrationState = 'running' | 'done' | 'failed'

/** Runs the migrations at the start of the page, and again on request. They log their own failure. */
export function useMigrations(): { state: MigrationState; retry: () => void } {
  const [state, setState] = useState<MigrationState>('running')
  const run = useCallback(() => {
    setState('running')
    startMigrations().then(
      () => setState('done'),
      () => setState('failed'),
    )
  }, [])
  useEffect(run, [run])
  return { state, retry: run }
}
