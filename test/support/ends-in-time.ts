import { runInNewContext } from 'node:vm'

/** For work of a moment, on any machine. Jest's own bound cannot end code that never lets go of the loop. */
const TIMEOUT_MS = 20_000

/** Runs code that a hostile text must not keep busy; without its guard it is ended, and fails. */
export function endsInTime<Result>(work: () => Result): Result {
  return runInNewContext('work()', { work }, { timeout: TIMEOUT_MS })
}
