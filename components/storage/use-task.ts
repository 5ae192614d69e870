import { useState } from 'react'

export type TaskState = 'idle' | 'running' | 'failed'

/** One piece of work behind a button, at most one at a time. Its failure is shown and reported. */
export function useTask(task: () => Promise<void>): { state: TaskState; run: () => void } {
  const [state, setState] = useState<TaskState>('idle')
  const run = () => {
    if (state === 'running') return
    setState('running')
    task().then(
      () => setState('idle'),
      error => {
        reportError(error)
        setState('failed')
      },
    )
  }
  return { state, run }
}
