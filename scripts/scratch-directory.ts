import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux's file system in memory. */
const MEMORY_DIRECTORY = '/dev/shm'
/** A test run's files take three quarters of a gigabyte, beside the memory of its browsers, servers and compilers. */
const MEMORY_BYTES_MIN = 8 * 1024 ** 3

/**
 * A directory for the temporary files of this process and of all that it starts, removed when it ends. It is in memory
 * where there is plenty: the tests make some hundreds of small databases, whose files take a disk longer than
 * everything else that they do.
 */
export function makeScratchDirectory(): string {
  const directory = makeInMemory() ?? makeIn(tmpdir())
  process.env.TMPDIR = directory
  process.once('exit', () => remove(directory))
  return directory
}

function makeInMemory(): string | null {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_DIRECTORY)
    if (Math.min(bavail * bsize, process.availableMemory()) < MEMORY_BYTES_MIN) return null
    const directory = makeIn(MEMORY_DIRECTORY)
    if (canRunPrograms(directory)) return directory
    remove(directory)
  } catch {
    // Another system, or a container without it.
  }
  return null
}

function makeIn(parent: string): string {
  const directory = mkdtempSync(join(parent, 'tuppence-test-'))
  // PostgreSQL runs as another user than root, and has to get through.
  chmodSync(directory, 0o711)
  return directory
}

/** Containers often forbid it there. */
function canRunPrograms(directory: string): boolean {
  const program = join(directory, 'probe')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
  try {
    execFileSync(program)
    return true
  } catch {
    return false
  }
}

function remove(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
}
