export {
  api as DELETE,
  api as GET,
  api as OPTIONS,
  api as PATCH,
  api as POST,
  api as PUT,
} from '@/lib/api/application'

export const dynamic = 'force-dynamic'
/** In seconds: the longest that all plans of Vercel allow. */
export const maxDuration = 300
