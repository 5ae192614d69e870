import 'server-only'

/** A host may refuse, outside of a request for one; that is no reason to lose the work. */
export function announceWork(
  keepAlive: ((work: Promise<unknown>) => void) | undefined,
  work: Promise<unknown>,
): void {
  try {
    keepAlive?.(work)
  } catch (error) {
    process.stderr.write(
      `work could not be announced to the host: ${error instanceof Error ? error.message : ''}\n`,
    )
  }
}
