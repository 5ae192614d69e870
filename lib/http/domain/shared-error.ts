/**
 * The base of errors that the services throw and the routes catch. Next bundles the instrumentation, which opens the
 * services, apart from the routes: each bundle has its own copy of such a class, and must recognise the other's errors.
 */
export function sharedError<Name extends string>(name: Name) {
  // From the process-wide registry, so that every copy has the same symbol.
  const brand: unique symbol = Symbol.for(`tuppence.${name}`)
  return class extends Error {
    static override [Symbol.hasInstance](value: unknown): boolean {
      return typeof value === 'object' && value !== null && brand in value
    }

    readonly [brand] = true
    override readonly name = name
  }
}
