export {
  api as DELETE,
  api as GET,
  api as OPTIONS,
  api as PATCH,
  api as POST,
  api as PUT,
} from '@/lib/api/application'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'
/** The longest that every plan of the usual serverless host allows, in seconds. */
export const maxDuration = 300
