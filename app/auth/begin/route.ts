import { beginSignIn } from '@/lib/auth/server/begin-sign-in'
import { handleApi } from '@/lib/http/handle-api'

export const dynamic = 'force-dynamic'

export const POST = handleApi(beginSignIn)
