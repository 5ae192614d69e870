import 'server-only'
import type { Attendance } from './running-exchange'

/** Counts those who wait for an answer, and tells when the last of them has left. */
export function createAttendance(onEmpty: () => void): (signal: AbortSignal) => Attendance {
  let attendeeCount = 0
  return signal => {
    let present = true
    const leave = () => {
      if (!present) return
      present = false
      signal.removeEventListener('abort', leave)
      attendeeCount -= 1
      if (attendeeCount === 0) onEmpty()
    }
    attendeeCount += 1
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    return { leave }
  }
}
