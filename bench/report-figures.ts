/** What a measured process has used so far. */
export interface Figures {
  /** User and system time. */
  cpuMs: number
  /** The size of live objects if `memory` was requested, which collects garbage first (`--expose-gc`). */
  heapBytes: number
  residentBytes: number
}

process.on('message', (question: 'cpu' | 'memory') => {
  if (question === 'memory') globalThis.gc?.()
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed, external } = process.memoryUsage()
  const figures: Figures = {
    cpuMs: (user + system) / 1_000,
    heapBytes: heapUsed + external,
    residentBytes: rss,
  }
  process.send?.(figures)
})

// So that it does not outlive the driver.
process.on('disconnect', () => process.exit())
