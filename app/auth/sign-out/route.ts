import { signOutByForm } from '@/lib/auth/server/sign-out'
import { handleApi } from '@/lib/http/handle-api'

export const dynamic = 'force-dynamic'

export const POST = handleApi(signOutByForm)
