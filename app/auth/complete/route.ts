import { completeSignIn } from '@/lib/auth/server/finish-sign-in'
import { handleApi } from '@/lib/http/handle-api'

export const dynamic = 'force-dynamic'

export const POST = handleApi(completeSignIn)
