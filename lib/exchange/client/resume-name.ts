/**
 * The name by which the server knows an exchange before its id has reached the browser. Null where the
 * browser offers no hashing: pages served over plain HTTP in a local network.
 */
export async function resumeNameOf(resumeKey: string): Promise<string | null> {
  if (!globalThis.crypto?.subtle) return null
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(resumeKey))
  const hex = Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('')
  return `resume-${hex}`
}
