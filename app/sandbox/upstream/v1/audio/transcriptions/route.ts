import { handleSandbox } from '@/lib/sandbox-upstream/server/handle-sandbox'
import { transcribeInSandbox } from '@/lib/sandbox-upstream/server/transcribe-in-sandbox'

export const POST = handleSandbox(transcribeInSandbox)
