import { SANDBOX_MODELS } from '@/lib/sandbox-upstream/domain/sandbox-models'
import { handleSandbox } from '@/lib/sandbox-upstream/server/handle-sandbox'

export const GET = handleSandbox(async () => Response.json({ object: 'list', data: SANDBOX_MODELS }))
