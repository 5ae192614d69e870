import 'server-only'

/**
 * A singleton of the process. A module's own variable would not do: Next bundles the instrumentation, which opens the
 * services, apart from the routes, and each bundle has its own copy of a module.
 */
export function processWide<Value>(name: string, create: () => Value): Value {
  const key = Symbol.for(`tuppence.${name}`)
  const registry = globalThis as typeof globalThis & { [key]?: Value }
  registry[key] ??= create()
  return registry[key]
}
