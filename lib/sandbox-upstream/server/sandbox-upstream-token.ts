import 'server-only'
import { randomBytes } from 'node:crypto'

const TOKEN_KEY = Symbol.for('tuppence.sandbox-upstream-token')
const processWide = globalThis as typeof globalThis & { [TOKEN_KEY]?: string }

/** The key that this process alone sends and accepts: visitors cannot call the sandbox upstream unmetered. */
export function sandboxUpstreamToken(): string {
  processWide[TOKEN_KEY] ??= randomBytes(32).toString('base64url')
  return processWide[TOKEN_KEY]
}
