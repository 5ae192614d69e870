/**
 * Deeper than any message, tool schema or body of ours; far less than what overflows the stack of a
 * function that calls itself (JSON.stringify among them), which JSON.parse does not.
 */
export const JSON_DEPTH_MAX = 256

/** Whether parsed JSON nests beyond the limit. Keeps its own stack: the input may be hostile. */
export function isTooDeep(value: unknown, depthMax: number = JSON_DEPTH_MAX): boolean {
  const waiting: [unknown, number][] = [[value, 0]]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [current, depth] = next
    if (typeof current !== 'object' || current === null) continue
    if (depth >= depthMax) return true
    for (const member of Object.values(current)) waiting.push([member, depth + 1])
  }
  return false
}
