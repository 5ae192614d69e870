import { embedInSandbox } from '@/lib/sandbox-upstream/server/embed-in-sandbox'
import { handleSandbox } from '@/lib/sandbox-upstream/server/handle-sandbox'

export const POST = handleSandbox(embedInSandbox)
