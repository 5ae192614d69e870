import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import { hashSecret } from '@/lib/http/credential'

/** 32 random bytes in base64url, made by the browser for one exchange. */
const RESUME_KEY_PATTERN = /^[A-Za-z0-9_-]{43}$/

/** @throws ApiError invalid_request */
export function readResumeKey(headers: Headers): string | null {
  const key = headers.get('x-resume-key')
  if (key === null || RESUME_KEY_PATTERN.test(key)) return key
  throw new ApiError('invalid_request', 'X-Resume-Key is not valid: expected 32 bytes in base64url.', {
    param: 'x-resume-key',
  })
}

/**
 * The exchange's second name. The browser can compute it before it has seen a single byte, and so stop
 * or resume an exchange whose id never reached it.
 */
export function resumeNameOf(resumeKey: string): string {
  return `resume-${hashSecret(resumeKey)}`
}
