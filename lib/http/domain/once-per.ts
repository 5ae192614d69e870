/** What is made of an object that never changes: once, and kept as long as the object. */
export function oncePer<Source extends object, Made>(
  make: (source: Source) => Made,
): (source: Source) => Made {
  const made = new WeakMap<Source, Made>()
  return source => {
    const known = made.get(source)
    if (known !== undefined) return known
    const next = make(source)
    made.set(source, next)
    return next
  }
}
