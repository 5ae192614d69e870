import 'server-only'
import { readFile } from 'node:fs/promises'

/** Tells one process from a later one that was given the same number. */
export interface ProcessMark {
  pid: number
  /** Boot and start time where the system tells them (Linux); null elsewhere. */
  startedAt: string | null
}

export async function describeProcess(pid: number): Promise<ProcessMark> {
  return { pid, startedAt: await startTime(pid) }
}

export async function isAlive(mark: ProcessMark): Promise<boolean> {
  if (!exists(mark.pid)) return false
  const startedAt = await startTime(mark.pid)
  return mark.startedAt === null || startedAt === null || startedAt === mark.startedAt
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it is there, but it is somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Field 22 of /proc/<pid>/stat counts ticks since boot, so it only tells processes of one boot apart. */
async function startTime(pid: number): Promise<string | null> {
  try {
    const bootId = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The second field is the command in parentheses and may itself hold spaces.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return ticks ? `${bootId.trim()}:${ticks}` : null
  } catch {
    return null
  }
}
