import 'server-only'
import { combineChunks, stringFromBase64URL } from '@supabase/ssr'
import { z } from 'zod'

/** A session is valid only with these three (specification, section 5). */
const storedSessionSchema = z.looseObject({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1),
  expires_at: z.number(),
})

const BASE64_PREFIX = 'base64-'

/** Five chunks are a large session; whoever sends many more gets them ignored, not decoded. */
const CHUNK_COUNT_MAX = 16

/**
 * Whether the cookies hold a session, read as the library reads them. Asked before the library is: a
 * session with an empty refresh token, say, makes it throw where nobody can catch.
 */
export async function holdsSession(
  cookies: readonly { name: string; value: string }[],
  sessionName: string,
): Promise<boolean> {
  const values = new Map(cookies.map(({ name, value }) => [name, value]))
  if (values.has(`${sessionName}.${CHUNK_COUNT_MAX}`)) return false
  try {
    const text = await combineChunks(sessionName, name => values.get(name) ?? null)
    if (!text?.startsWith(BASE64_PREFIX)) return false
    const session: unknown = JSON.parse(stringFromBase64URL(text.slice(BASE64_PREFIX.length)))
    return storedSessionSchema.safeParse(session).success
  } catch {
    return false
  }
}
