import 'server-only'

/** Counts how many calls of `act` are running under a name. Each one gets the count before it. */
export async function whileCounted<Result>(
  counts: Map<string, number>,
  name: string,
  act: (countBefore: number) => Promise<Result>,
): Promise<Result> {
  const countBefore = counts.get(name) ?? 0
  counts.set(name, countBefore + 1)
  try {
    return await act(countBefore)
  } finally {
    const left = (counts.get(name) ?? 1) - 1
    if (left === 0) counts.delete(name)
    else counts.set(name, left)
  }
}
