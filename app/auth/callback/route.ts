import { finishCodeSignIn } from '@/lib/auth/server/finish-sign-in'
import { handleApi } from '@/lib/http/handle-api'

export const dynamic = 'force-dynamic'

export const GET = handleApi(finishCodeSignIn)
