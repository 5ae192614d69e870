import 'server-only'
import { setImmediate as nextTurn } from 'node:timers/promises'

const TURN_COUNT = 20

/**
 * In a process that was busy or stood still, a timer fires before data is read that has already arrived, so the event
 * loop gets some turns first.
 *
 * @param countHeard how much has been heard so far
 * @returns whether nothing more is heard even then
 */
export async function isStillSilent(countHeard: () => number): Promise<boolean> {
  const countBefore = countHeard()
  for (let turn = 0; turn < TURN_COUNT; turn += 1) {
    await nextTurn()
    if (countHeard() !== countBefore) return false
  }
  return true
}
