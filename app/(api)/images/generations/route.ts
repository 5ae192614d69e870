/** For tools whose base URL has no version in it. Next reads these settings from each file itself. */
export { DELETE, POST } from '../../v1/images/generations/route'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'
export const maxDuration = 300
