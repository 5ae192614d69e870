/**
 * Below these versions, a package has a vulnerability that this product would inherit. Raise a floor when an advisory
 * names a fixed version; never lower one.
 */
export const SAFE_VERSION_FLOORS: Record<string, { floor: string; reason: string }> = {
  next: {
    floor: '16.4.0',
    reason: 'middleware bypass by x-middleware-subrequest (CVE-2025-29927), GHSA-267c-6grr-h53f and its kin',
  },
  react: { floor: '19.3.0', reason: 'the line that Next 16.4 is tested with' },
  'react-dom': { floor: '19.3.0', reason: 'the same as react' },
  'next-intl': { floor: '4.14.0', reason: 'decides redirects from the path, as the middleware does' },
  '@supabase/ssr': { floor: '0.12.0', reason: 'writes the session cookies' },
  '@supabase/supabase-js': { floor: '2.119.0', reason: 'holds the session' },
}

/** Whether a version is the floor or later; a pre-release of the floor is not. */
export function isAtLeast(version: string, floor: string): boolean {
  const [core = '', preRelease] = version.split(/-(.*)/s)
  const parts = core.split('.').map(Number)
  const floorParts = floor.split('.').map(Number)
  if (parts.length !== 3 || parts.some(part => !Number.isInteger(part))) return false
  for (const [index, part] of floorParts.entries()) {
    const difference = (parts[index] ?? 0) - part
    if (difference !== 0) return difference > 0
  }
  return preRelease === undefined
}
