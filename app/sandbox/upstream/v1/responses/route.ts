import { SANDBOX_RESPONSES } from '@/lib/sandbox-upstream/domain/responses-dialect'
import { completeInSandbox } from '@/lib/sandbox-upstream/server/complete-in-sandbox'
import { handleSandbox } from '@/lib/sandbox-upstream/server/handle-sandbox'

export const POST = handleSandbox(request => completeInSandbox(request, { dialect: SANDBOX_RESPONSES }))
