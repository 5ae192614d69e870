/** For tools whose base URL has no version in it. Next reads these settings from each file itself. */
export { POST } from '../../v1/audio/speech/route'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'
export const maxDuration = 300
