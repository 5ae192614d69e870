/** Named gates: an answer waits at one until the test opens it, and the test can wait for the arrival. */
export interface Gates {
  open(name: string): void
  /** Resolves when an answer has arrived at the gate. */
  reached(name: string): Promise<void>
  /** Called by an answer; resolves when the gate is open. */
  pass(name: string): Promise<void>
  /** Forgets every gate; waiting answers continue. */
  reset(): void
}

interface Gate {
  opened: PromiseWithResolvers<void>
  arrived: PromiseWithResolvers<void>
}

export function createGates(): Gates {
  const gates = new Map<string, Gate>()
  const gate = (name: string): Gate => {
    const known = gates.get(name)
    if (known) return known
    const created = { opened: Promise.withResolvers<void>(), arrived: Promise.withResolvers<void>() }
    gates.set(name, created)
    return created
  }
  return {
    open: name => gate(name).opened.resolve(),
    reached: name => gate(name).arrived.promise,
    pass(name) {
      gate(name).arrived.resolve()
      return gate(name).opened.promise
    },
    reset() {
      for (const { opened } of gates.values()) opened.resolve()
      gates.clear()
    },
  }
}
